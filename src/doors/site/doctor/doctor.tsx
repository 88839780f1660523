/** The page at `#doctor`: whether this browser's adapter computes what it should, and how fast; the same as `gravmesh doctor --report`. */

import { proxy, type Remote, wrap } from "comlink";
import { render } from "preact";
import { useRef, useState } from "preact/hooks";
import { doctorHtml, verdictText } from "../../../study/doctor/page.ts";
import { type CheckResult, type DoctorRecord, errorText, worstOf } from "../../../study/doctor/report.ts";
import { Button } from "../controls.tsx";
import { download } from "../panels/download.ts";
import { messageText } from "../words.ts";
import type { Doctor } from "./worker.ts";

function Check({ check }: { check: CheckResult }) {
  const worst = worstOf(check);
  return (
    <tr class={check.passed ? "" : "failed"}>
      <td>{check.passed ? "ok" : "FAILED"}</td>
      <th scope="row">{check.name}</th>
      <td class="soft">{check.failure ?? (worst ? `${worst.what}: ${errorText(worst)}` : "")}</td>
    </tr>
  );
}

/** Seconds that the address asks for: `#doctor?seconds=60`. */
function secondsOf(hash: string): number | undefined {
  const seconds = Number(new URLSearchParams(hash.split("?")[1] ?? "").get("seconds"));
  return seconds > 0 ? seconds : undefined;
}

function DoctorPage() {
  const [progress, setProgress] = useState<{ what: string; done: number }>();
  const [checks, setChecks] = useState<readonly CheckResult[]>([]);
  const [record, setRecord] = useState<DoctorRecord>();
  const [problem, setProblem] = useState("");
  const doctor = useRef<Remote<Doctor>>(undefined);
  const begin = async () => {
    setProgress({ what: "Beginning …", done: 0 });
    const worker = new Worker(new URL("./doctor.js", import.meta.url.replace(/parts\/[^/]*$/, "")), { type: "module" });
    worker.addEventListener("error", ({ message }) => setProblem(`It can't begin: ${message}`));
    doctor.current = wrap<Doctor>(worker);
    try {
      const report = proxy((what: string, done: number) => setProgress({ what, done }));
      const made = proxy((check: CheckResult) => setChecks((before) => [...before, check]));
      setRecord(await doctor.current.examine(report, made, secondsOf(location.hash)));
    } catch (error) {
      setProblem(messageText(error));
    } finally {
      worker.terminate();
    }
  };
  const json = () => download("doctor.json", `${JSON.stringify(record, null, 2)}\n`, "application/json");
  const running = progress !== undefined && !record && problem === "";
  return (
    <main class="doctor">
      <h1>gravmesh doctor</h1>
      <p>
        Checks every kernel against its twin in float64, and times the stages of a step and direct sums, on the adapter
        that this browser offers; within five minutes. Nothing leaves this tab: the result is a file for you to keep, or
        to attach to a report. It names the browser and the adapter, nothing else about this machine.
      </p>
      {!progress && (
        <p class="buttons">
          <Button primary onClick={() => void begin()}>
            Begin
          </Button>
        </p>
      )}
      {running && (
        <div role="status">
          <progress max={1} value={progress.done} /> <span>{progress.what}</span>
          <p class="buttons">
            <Button onClick={() => void doctor.current?.stop()}>Stop after this check</Button>
          </p>
        </div>
      )}
      {problem !== "" && <p role="alert">{problem}</p>}
      {record && <p class="doctor-verdict">{verdictText(record)}</p>}
      {record && (
        <p class="buttons">
          <Button primary onClick={json}>
            Download the JSON
          </Button>
          <Button onClick={() => download("doctor.html", doctorHtml(record), "text/html")}>Download the page</Button>
        </p>
      )}
      {record && record.leftOut.length > 0 && (
        <details>
          <summary>Left out</summary>
          <ul>
            {record.leftOut.map(({ what, why }) => (
              <li key={what}>
                {what}: {why}
              </li>
            ))}
          </ul>
        </details>
      )}
      {checks.length > 0 && (
        <table>
          <tbody>
            {[...checks].reverse().map((check) => (
              <Check key={check.name} check={check} />
            ))}
          </tbody>
        </table>
      )}
      <p>
        <a href={location.pathname + location.search}>To the gallery</a>
      </p>
    </main>
  );
}

export function openDoctor(): void {
  document.title = "gravmesh doctor";
  render(<DoctorPage />, document.body);
}
