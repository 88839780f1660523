/** The server of the page on 127.0.0.1: its files, what it shows under api/, and the WebSocket. It waits for no page. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type WebSocket, WebSocketServer } from "ws";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { Doors, hasToken, isForeign, newToken, type Refusal, refusalOf } from "./guard.node.ts";
import { type About, API, LARGEST_FRAME, TOKEN } from "./protocol.ts";
/** What is served beside the page. */
export interface ServedRun {
  about(): About;
  /** Bytes of a frame, unless who asked is `gone` when it is made; undefined for an index without one. Throws GravmeshError. */
  frame(index: number, most: number, gone: () => boolean): Promise<Uint8Array | undefined>;
  /** report.html, if there is one. */
  report(): Uint8Array | undefined;
  /** A page has connected. */
  opened(socket: WebSocket): void;
}

const LIMITS = {
  /** Connections, and pages among them. */
  connections: 128,
  pages: 16,
  /** The largest message from a page, and the largest head of a request [byte]. */
  message: 4096,
  head: 16_384,
  /** A connection on which nothing happens, and a request that doesn't come to its end, are given up [ms]. */
  idle: 60_000,
  request: 10_000,
};

/** Headers of all answers. */
const HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
};

/** Pages of this machine, a notebook's: who has the token, or asks for a page that shows no run, may frame it. */
const NOTEBOOKS = "http://localhost:* http://127.0.0.1:*";

/** What the page may load and connect to: what comes from here. WebAssembly reads snapshots. */
const pagePolicy = (host: string, framers: string) =>
  [
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; font-src 'self'",
    `img-src 'self' data: blob:; media-src 'self' blob:; connect-src 'self' ws://${host}; frame-src 'self'`,
    `base-uri 'none'; form-action 'none'; frame-ancestors ${framers}`,
  ].join("; ");
/** A report has no scripts: styles and pictures within it are all. */
const REPORT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'self'; sandbox allow-popups";

/** The page's address, with the token where one is needed; `close` ends all connections. */
export type PageServer = Awaited<ReturnType<typeof servePage>>;

/** Serves the page and what is shown in it. Throws "usage" for a port that can't be had, "io" where the page is missing. */
export async function servePage({ port = 0, shown }: { port?: number | undefined; shown?: ServedRun | undefined }) {
  const [files, token] = [siteFiles(), newToken()];
  const api = shown && new Api(shown, token);
  const doors = new Doors();
  const asks = (request: IncomingMessage) => {
    const url = urlOf(request);
    doors.asks(request.socket, url !== undefined && hasToken(request, url, token));
    return url;
  };
  const server = createServer(
    { maxHeaderSize: LIMITS.head, connectionsCheckingInterval: LIMITS.request / 2 },
    (request, response) => {
      void answer(request, response, asks(request), async (url) => {
        if (url.pathname.startsWith("/api/") && api) return api.answer(request, response, url);
        const file = files.get(url.pathname);
        if (!file) return refuse(response, NOT_FOUND);
        const framers = !api || hasToken(request, url, token) ? NOTEBOOKS : "'none'";
        const policy = pagePolicy(request.headers.host!, framers);
        send(response, file.read(), {
          "content-type": file.type,
          "content-security-policy": policy,
          "cache-control": "no-cache",
        });
      });
    },
  );
  server.maxConnections = LIMITS.connections;
  server.requestTimeout = server.headersTimeout = LIMITS.request;
  server.setTimeout(LIMITS.idle);
  server.on("connection", (socket) => doors.comes(socket));
  const sockets = new WebSocketServer({ noServer: true, maxPayload: LIMITS.message, perMessageDeflate: false });
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    asks(request);
    const refusal = api ? api.refusalOfPage(request, sockets.clients.size) : NOT_FOUND;
    if (refusal) {
      // Half open it would stay for as long as its peer likes.
      socket.setTimeout(LIMITS.request, () => socket.destroy());
      return void socket.end(plainAnswer(refusal), () => socket.destroy());
    }
    socket.setTimeout(0);
    sockets.handleUpgrade(request, socket, head, (page) => shown!.opened(page));
  });
  await listening(server, port);
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${shown ? `?${TOKEN}=${token}` : ""}`;
  return { address, close: () => closed(server, sockets, doors) };
}

const NOT_FOUND: Refusal = { status: 404, why: "There is nothing of that name." };

/** The answers under api/, for those who have the token. */
class Api {
  constructor(
    private readonly shown: ServedRun,
    private readonly token: string,
  ) {}

  /** Why a WebSocket isn't opened. */
  refusalOfPage(request: IncomingMessage, open: number): Refusal | undefined {
    const url = urlOf(request);
    const refusal = refusalOf(request);
    if (refusal) return refusal;
    if (url?.pathname !== `/${API.events}`) return NOT_FOUND;
    if (isForeign(request)) return FOREIGN;
    if (!hasToken(request, url, this.token)) return NO_TOKEN;
    return open >= LIMITS.pages ? { status: 503, why: "Too many pages are open." } : undefined;
  }

  async answer(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    if (isForeign(request)) return refuse(response, FOREIGN);
    if (!hasToken(request, url, this.token)) return refuse(response, NO_TOKEN);
    const path = url.pathname.slice(1);
    const { shown } = this;
    if (path === API.about) {
      const kind = { "content-type": "application/json", "cache-control": "no-store" };
      return send(response, JSON.stringify(shown.about()), kind);
    }
    if (path === API.report) {
      const report = shown.report();
      if (!report) return refuse(response, { status: 404, why: "There is no report yet." });
      const policy = { "content-type": "text/html; charset=utf-8", "content-security-policy": REPORT_POLICY };
      return send(response, report, { ...policy, "cache-control": "no-store" });
    }
    const index = new RegExp(`^${API.frame}/(\\d{1,9})$`).exec(path)?.[1];
    if (index === undefined) return refuse(response, NOT_FOUND);
    const most = Number(url.searchParams.get("most") ?? LARGEST_FRAME);
    if (!(Number.isInteger(most) && most >= 1 && most <= LARGEST_FRAME)) {
      return refuse(response, { status: 400, why: `Expected most from 1 to ${LARGEST_FRAME}.` });
    }
    const frame = await shown.frame(Number(index), most, () => response.destroyed);
    if (!frame) return refuse(response, { status: 404, why: `There is no frame ${index}.` });
    send(response, frame, { "content-type": "application/octet-stream", "cache-control": "no-store" });
  }
}

const FOREIGN: Refusal = { status: 403, why: "This server answers to its own page only." };
const NO_TOKEN: Refusal = {
  status: 401,
  why: "The token is missing or wrong: open the address that gravmesh has printed, with all that is behind the question mark.",
};

/** Undefined where the address is none. */
function urlOf({ url = "" }: IncomingMessage): URL | undefined {
  // Of "//host/path" and "http://host/path" a URL would be of another host.
  const here = "http://localhost";
  return /^\/(?!\/)/.test(url) && URL.canParse(url, here) ? new URL(url, here) : undefined;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL | undefined,
  what: (url: URL) => unknown,
): Promise<void> {
  const refusal = refusalOf(request);
  // A body that was announced isn't read.
  if (refusal) return refuse(response, refusal, { connection: "close" });
  if (!url) return refuse(response, { status: 400, why: "Expected a path." });
  try {
    await what(url);
  } catch (cause) {
    if (response.headersSent) return void response.destroy();
    const status = cause instanceof GravmeshError ? 422 : 500;
    refuse(response, { status, why: cause instanceof Error ? cause.message : String(cause) });
  }
}

function send(response: ServerResponse, content: Uint8Array | string, headers: Record<string, string>): void {
  const length = typeof content === "string" ? Buffer.byteLength(content) : content.length;
  response.writeHead(200, { ...HEADERS, ...headers, "content-length": length }).end(content);
}

function refuse(response: ServerResponse, { status, why }: Refusal, headers: Record<string, string> = {}): void {
  const own = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
  const policy = { "content-security-policy": "default-src 'none'; frame-ancestors 'none'" };
  response.writeHead(status, { ...HEADERS, ...own, ...policy, ...headers }).end(`${why}\n`);
}

function plainAnswer({ status, why }: Refusal): string {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "content-type: text/plain; charset=utf-8",
    "connection: close",
  ];
  return `${head.join("\r\n")}\r\n\r\n${why}\n`;
}

async function listening(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  }).catch((cause: NodeJS.ErrnoException) => {
    const reasons: Record<string, string> = { EADDRINUSE: "another program has it", EACCES: "it needs more rights" };
    const reason = reasons[cause.code ?? ""] ?? cause.message;
    throw new GravmeshError("usage", `Port ${port} can't be had: ${reason}. Name another, or none for a free one.`, {
      cause,
    });
  });
}

/** Says goodbye to the pages, waits a moment for those that read, and ends all connections: then the server's end is certain. */
async function closed(server: Server, sockets: WebSocketServer, doors: Doors): Promise<void> {
  const GOODBYE = 1000;
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const page of sockets.clients) page.close(1001, "the server ends");
  const late = setTimeout(() => doors.close(), GOODBYE);
  server.closeIdleConnections();
  await ended;
  clearTimeout(late);
  sockets.close();
}

/** From the built chunks in dist/node, from other bundles, and from here. */
const SITE = ["../site/", "../../dist/site/", "../../../dist/site/"]
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((folder, place) => place === 2 || existsSync(folder)) as string;

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".txt": "text/plain; charset=utf-8",
  ".toml": "text/plain; charset=utf-8",
  ".svg": "image/svg+xml",
  ".webp": "image/webp",
};

interface SiteFile {
  type: string;
  read(): Uint8Array;
}

/** The page's files by path ("/", "/page.js"): nothing else can be asked for. Throws "io" where the page wasn't built. */
function siteFiles(): ReadonlyMap<string, SiteFile> {
  if (!existsSync(join(SITE, "index.html"))) {
    throw new GravmeshError("io", `The page isn't there: expected ${join(SITE, "index.html")}. Run \`npm run build\`.`);
  }
  const entries = readdirSync(SITE, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  const files = new Map(
    entries.map((entry): [string, SiteFile] => {
      const file = join(entry.parentPath, entry.name);
      const path = `/${relative(SITE, file).split(sep).join("/")}`;
      return [path, { type: TYPES[extname(file)] ?? "application/octet-stream", read: () => readFileSync(file) }];
    }),
  );
  files.set("/", files.get("/index.html")!);
  return files;
}
