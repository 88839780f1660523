/** A pipeline of all ranks as rank 0 has it: work that all do on its order, and what is its own. */
import type { Backend, HostTraffic, StageTime } from "../backend/backend.ts";
import type { Ranks } from "../ranks/ranks.ts";
import { Conversation } from "./conversation.ts";
import type { JointDirect, JointMesh } from "./joint-pipelines.ts";

type Works = Readonly<Record<string, (...args: never[]) => unknown>>;
type About<F> = F extends (held: never, about: infer A, ...own: never[]) => unknown ? A : undefined;
type Own<F> = F extends (held: never, about: never, ...own: infer O) => unknown ? O : [];

export abstract class RankedBackend<Held extends JointMesh | JointDirect, Work extends Works> {
  readonly kind: Backend["kind"];
  readonly traffic?: () => HostTraffic;

  protected constructor(
    protected readonly held: Held,
    private readonly work: Work,
    private readonly number: number,
  ) {
    const own: Backend = held.own;
    this.kind = own.kind;
    if (own.traffic) this.traffic = () => own.traffic!();
  }

  protected get ranks(): Ranks {
    return this.held.ranks;
  }

  protected get own(): Held["own"] {
    return this.held.own;
  }

  protected orderTo<K extends keyof Work & string>(work: K, about: About<Work[K]>) {
    return { do: "work", number: this.number, work, about } as const;
  }

  /** Does a work on all ranks; `own`: what rank 0 alone has for it. */
  protected together<K extends keyof Work & string>(
    name: K,
    about: About<Work[K]>,
    ...own: Partial<Own<Work[K]>>
  ): Promise<Awaited<ReturnType<Work[K]>>> {
    type Done = Awaited<ReturnType<Work[K]>>;
    const work = this.work[name] as unknown as (held: Held, about: About<Work[K]>, ...own: unknown[]) => Done;
    const mine = async () => work(this.held, about, ...own);
    return Conversation.of(this.ranks).jointly(this.orderTo(name, about), mine, this.held.alike) as Promise<Done>;
  }

  /** Times of rank 0, as all that follows. */
  stageTimes(): StageTime[] {
    return this.own.stageTimes();
  }

  timeStages(): void {
    (this.own as Backend).timeStages?.();
  }

  resetTimes(): void {
    (this.own as Backend).resetTimes?.();
  }

  memory(): ReturnType<Backend["memory"]> {
    return this.own.memory();
  }

  destroy(): void {
    Conversation.of(this.ranks).later({ do: "destroy", number: this.number });
    this.own.destroy();
  }
}
