// The client in Node: parsing, resuming and errors against a small server that breaks off where it is told to, and the
// documented examples against a twin when there is one (SAYSO_URL, ADMIN_TOKEN).
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "node:test";

import { buildSync } from "esbuild";
import {
  AlreadyDecidedError, AuthenticationError, ConflictError, ForbiddenError, GraphClient, InvalidAnswerError, NetworkError,
  NotFoundError, OwnerClient, RateLimitError, StaleInterruptError, ThreadPausedError, ValidationError, VisitorClient,
  backoff, interruptIn, memoryTokens, storedTokens,
} from "sayso-client";

const LOG = [
  { type: "thread", thread_id: "t", run_id: "r1", visitor_token: "secret" },
  { type: "text", text: "Grüße, " },
  { type: "text", text: "wereld\u2028! 🎉" },
  { type: "meta", run_id: "r1", outcome: "answered" },
  { type: "done" },
];
const frames = (events, from = 1) =>
  events.map((event, n) => `id: ${n + from}\r\ndata: ${JSON.stringify(event)}\r\n\r\n`).join("");

/** A server on loopback that answers with `handle`; gone at the end of the test. */
async function serving(t, handle) {
  const asked = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      asked.push({ method: request.method, url: request.url, headers: request.headers, body: body && JSON.parse(body) });
      handle(request, response, asked.length);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${server.address().port}`, asked };
}

const sse = (response) => response.writeHead(200, { "content-type": "text/event-stream" });
const problem = (response, status, body, headers = {}) => {
  response.writeHead(status, { "content-type": "application/problem+json", ...headers });
  response.end(JSON.stringify(body));
};
const soon = { backoff: () => 1 };
const all = async (events) => {
  const got = [];
  for await (const event of events) got.push(event);
  return got;
};
const plain = (events) => events.map(({ seq, ...event }) => event);

test("a stream cut at every byte gives the same events, each once", async (t) => {
  const bytes = Buffer.from(frames(LOG));
  for (let cut = 0; cut < bytes.length; cut += 1) {
    let first = true;
    const { url, asked } = await serving(t, (request, response) => {
      sse(response);
      if (first) {
        first = false;
        response.write(bytes.subarray(0, cut));
        setImmediate(() => response.socket.resetAndDestroy());
        return;
      }
      const after = Number(request.headers["last-event-id"]);
      response.end(frames(LOG.slice(after), after + 1));
    });
    const client = new VisitorClient({ url, ...soon });
    try {
      const events = await all(client.chat("Hi", { threadId: "t" }));
      assert.deepEqual(plain(events), LOG, `cut at ${cut}`);
      assert.deepEqual(events.map((event) => event.seq), [1, 2, 3, 4, 5]);
    } catch (error) {
      // Before the first whole event nothing shows that the message arrived.
      assert.ok(error instanceof NetworkError, String(error));
      assert.ok(cut < Buffer.from(frames(LOG.slice(0, 1))).length, `cut at ${cut}`);
      assert.equal(asked.length, 1);
    }
  }
});

for (const [name, end] of [["LF", "\n"], ["CR", "\r"], ["CR LF", "\r\n"]]) {
  test(`lines may end in ${name}, between them stand comments and fields that mean nothing here, and data may have lines`, async (t) => {
    const text = `:${end}: ping${end}event: x${end}retry:5${end}id${end}id:1${end}data:{"type":${end}data:  "done"}${end}${end}id: 9${end}${end}`;
    const { url } = await serving(t, async (request, response) => {
      sse(response);
      for (const character of text) {
        response.write(character);
        await new Promise(setImmediate);
      }
      response.end();
    });
    assert.deepEqual(await all(new VisitorClient({ url, ...soon }).follow("t", { until: "idle" })), [{ type: "done", seq: 1 }]);
  });
}

test("the visitor's token is kept and sent, never in an address", async (t) => {
  const { url, asked } = await serving(t, (request, response) => {
    sse(response);
    response.end(frames(LOG));
  });
  const tokens = memoryTokens();
  const client = new VisitorClient({ url, tokens });
  await all(client.chat("Hi"));
  await all(client.chat("Again", { threadId: "t", onBusy: "cancel" }));
  assert.equal(tokens.get(), "secret");
  assert.equal(asked[0].headers.authorization, undefined);
  assert.equal(asked[1].headers.authorization, "Bearer secret");
  assert.deepEqual(asked[1].body, { message: "Again", thread_id: "t", on_busy: "cancel" });
  assert.ok(!asked.some(({ url }) => url.includes("secret")));
});

test("following goes on through refusals that pass, and stops at one that does not", async (t) => {
  const states = [];
  const { url, asked } = await serving(t, (request, response, n) => {
    if (n === 1) return problem(response, 503, { code: "unavailable", detail: "Down." });
    if (n === 2) return request.socket.destroy();
    if (n === 3) {
      sse(response);
      return response.end(`: ping\n\n${frames(LOG.slice(0, 2))}`);
    }
    problem(response, 403, { code: "forbidden", detail: "This thread is not yours." });
  });
  const client = new VisitorClient({ url, ...soon });
  const got = [];
  await assert.rejects(async () => {
    for await (const event of client.follow("t", { onConnection: (state) => states.push(state) })) got.push(event.seq);
  }, ForbiddenError);
  assert.deepEqual(got, [1, 2]);
  assert.deepEqual(asked.map((call) => call.headers["last-event-id"]), ["0", "0", "0", "2"]);
  assert.deepEqual(states, ["waiting", "waiting", "live", "waiting"]);
});

test("a reset is passed on, unknown events are skipped, and an abort ends it", async (t) => {
  const { url } = await serving(t, (request, response) => {
    sse(response);
    response.write('data: {"type":"reset"}\n\nid: 7\ndata: {"type":"from-the-future"}\n\n' + frames(LOG.slice(4), 8));
  });
  const client = new VisitorClient({ url, ...soon });
  const abort = new AbortController();
  const got = [];
  await assert.rejects(async () => {
    for await (const event of client.follow("t", { after: 3, signal: abort.signal })) {
      got.push([event.type, event.seq]);
      if (event.type === "done") abort.abort();
    }
  }, { name: "AbortError" });
  assert.deepEqual(got, [["reset", null], ["done", 8]]);
});

test("a stream that has gone silent is taken for dead", async (t) => {
  const { url, asked } = await serving(t, (request, response, n) => {
    sse(response);
    if (n === 1) response.write(frames(LOG.slice(0, 1)));
    else response.end(frames(LOG.slice(1), 2));
  });
  const client = new VisitorClient({ url, silenceMs: 50, ...soon });
  assert.equal((await all(client.chat("Hi"))).length, LOG.length);
  assert.equal(asked.length, 2);
});

test("each situation has its class, with code, message, details and status", async (t) => {
  const cases = [
    [409, { code: "already_decided", detail: "Settled already.", by: "anna", at: "2026-11-30T09:00:00.000Z" }, AlreadyDecidedError],
    [409, { code: "stale_interrupt", detail: "No.", given: "a", open: ["b"] }, StaleInterruptError],
    [422, { code: "thread_paused", detail: "Paused.", interrupt_id: "i" }, ThreadPausedError],
    [422, { code: "invalid_answer", detail: "$.approved: expected boolean, got string" }, InvalidAnswerError],
    [422, { error: { code: "VALIDATION", message: "Bad.", details: [{ loc: ["body"], msg: "x", type: "y" }] }, metadata: {} }, ValidationError],
    [401, { code: "unauthenticated", detail: "Who?" }, AuthenticationError],
    [404, "<html>", NotFoundError],
    [429, { code: "rate_limited", detail: "Slow." }, RateLimitError],
  ];
  const { url } = await serving(t, (request, response, n) => problem(response, cases[n - 1][0], cases[n - 1][1], { "retry-after": "7" }));
  const client = new VisitorClient({ url });
  for (const [status, body, Kind] of cases) {
    const error = await client.thread("t").then(assert.fail, (error) => error);
    assert.ok(error instanceof Kind, `${error.name} for ${status}`);
    assert.equal(error.status, status);
    assert.equal(error.name, Kind.name);
    if (body.detail) assert.equal(error.message, body.detail);
    if (Kind === AlreadyDecidedError) assert.equal(error.decision.by, "anna");
    if (Kind === StaleInterruptError) assert.deepEqual(error.open, ["b"]);
    if (Kind === ThreadPausedError) assert.deepEqual(error.details, { interrupt_id: "i" });
    if (Kind === ValidationError) assert.equal(error.details.details[0].type, "y");
    if (Kind === RateLimitError) assert.equal(error.retryAfter, 7);
  }
});

test("the owner's calls go where they should, and say what they are made with", async (t) => {
  const gap = { id: "g/1", question: "What is her shoe size?" };
  const { url, asked } = await serving(t, (request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(request.method === "GET" ? { gaps: [gap], next: "2026-12-01T00:00:00.000Z", days: [] } : gap));
  });
  const owner = new OwnerClient({ url, token: "secret", via: "web" });
  assert.deepEqual(await owner.gaps({ status: "answered", limit: 5 }), { items: [gap], next: "2026-12-01T00:00:00.000Z" });
  await owner.answerGap(gap.id, "Size 38.", "Shoes");
  await owner.answerGap(gap.id, "Size 38.");
  await owner.dismissGap(gap.id);
  assert.deepEqual((await owner.stats(7)).days, []);
  await owner.decide("t", { approved: true }, { async: true });
  await new OwnerClient({ url, token: "secret" }).decide("t", { approved: true });
  await new VisitorClient({ url }).feedback({ thread_id: "t", seq: 7, verdict: "down", comment: "No." });
  await owner.settleEffect("e/1", "done", "It was paid.");
  await new OwnerClient({ url, token: "secret" }).settleEffect("e/1", "retry");
  await owner.audit({ after: 3, since: "2026-11-01T00:00:00Z", limit: 5 });
  assert.deepEqual(asked.map(({ url }) => url), [
    "/api/admin/gaps?limit=5&status=answered", "/api/admin/gaps/g%2F1", "/api/admin/gaps/g%2F1", "/api/admin/gaps/g%2F1",
    "/api/admin/stats?days=7", "/api/admin/approvals/t", "/api/admin/approvals/t", "/api/feedback",
    "/api/admin/effects/e%2F1", "/api/admin/effects/e%2F1", "/api/admin/audit?after=3&since=2026-11-01T00%3A00%3A00Z&limit=5",
  ]);
  assert.deepEqual(asked.slice(1, 4).map(({ body }) => body), [
    { answer: "Size 38.", title: "Shoes" }, { answer: "Size 38." }, { dismiss: true },
  ]);
  assert.deepEqual(asked.slice(5, 7).map(({ headers }) => [headers["sayso-via"], headers.prefer]), [
    ["web", "respond-async"], [undefined, undefined],
  ]);
  assert.deepEqual(asked.slice(8, 10).map(({ headers, body }) => [headers["sayso-via"], body]), [
    ["web", { settle: "done", result: "It was paid." }], [undefined, { settle: "retry" }],
  ]);
  assert.deepEqual(asked[7].body, { thread_id: "t", seq: 7, verdict: "down", comment: "No." });
});

test("the run routes are called as documented, and a pause is seen", async (t) => {
  const interrupt = { id: "i", key: "tool:c:0", message: "Sure?" };
  const { url, asked } = await serving(t, (request, response) => {
    if (request.url.endsWith("/stream")) {
      response.writeHead(200, { "content-type": "application/x-ndjson" });
      const line = JSON.stringify({ event: "updates", data: { status: "interrupted", interrupt } });
      response.write(line.slice(0, 9));
      return setImmediate(() => response.end(`${line.slice(9)}\n`));
    }
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ data: { messages: [], meta: { thread_id: "t", interrupt } }, metadata: {} }));
  });
  const graph = new GraphClient({ url, token: "jwt" });
  assert.equal(interruptIn(await graph.invoke({ message: "Refund me", threadId: "t" }))?.id, "i");
  await graph.invoke({ resume: null, interruptId: "i", threadId: "t", onBusy: "cancel", granularity: "full" });
  const [line] = await all(graph.stream({ message: "Refund me" }));
  assert.equal(interruptIn(line)?.id, "i");
  assert.deepEqual(asked[0].body, {
    config: { thread_id: "t" },
    messages: [{ role: "user", content: [{ type: "text", text: "Refund me" }] }],
  });
  assert.deepEqual(asked[1].body, {
    config: { thread_id: "t" }, on_busy: "cancel", response_granularity: "full", resume: null, interrupt_id: "i",
  });
  assert.equal(asked[2].headers.accept, "application/x-ndjson");
});

test("storage that is refused falls back to memory", () => {
  const refused = storedTokens("k", () => {
    throw new Error("SecurityError");
  });
  refused.set("x");
  assert.equal(refused.get(), "x");
});

test("waits grow to a bound, and are not all the same", () => {
  for (let attempt = 1; attempt < 40; attempt += 1) {
    const wait = backoff(attempt);
    assert.ok(wait >= 250 && wait <= 15_000, `${wait}`);
  }
  assert.ok(new Set(Array.from({ length: 20 }, () => backoff(3))).size > 1);
});

test("the documented approval flow runs against a twin", { skip: !process.env.SAYSO_URL && "no SAYSO_URL" }, async () => {
  const outfile = join(mkdtempSync(join(tmpdir(), "sayso-example-")), "approval-flow.mjs");
  const entry = new URL("../examples/approval-flow.ts", import.meta.url).pathname;
  buildSync({ entryPoints: [entry], bundle: true, format: "esm", platform: "node", outfile });
  const { approvalFlow } = await import(pathToFileURL(outfile));
  const ending = await approvalFlow(process.env.SAYSO_URL, process.env.ADMIN_TOKEN);
  assert.ok(ending.length > 0);
  const owner = new OwnerClient({ url: process.env.SAYSO_URL, token: process.env.ADMIN_TOKEN });
  const { items } = await owner.contactMessages();
  assert.equal(items[0].subject, "Meeting on Friday");
  const { items: settled } = await owner.settled("approved");
  assert.equal(settled[0].note, "See you then.");
  const lines = [];
  for (let after = 0; after !== null; ) {
    const page = await owner.audit({ after, limit: 1 });
    lines.push(...page.audit);
    after = page.next;
  }
  const yes = lines.find(({ what, note }) => what === "approved" && note === "See you then.");
  assert.deepEqual([yes.via, yes.tool, yes.edited], ["api", "draft_contact_message", true]);
});

test("the run routes of a twin: pause, refusals, resume, repeat", { skip: !process.env.SAYSO_URL && "no SAYSO_URL" }, async () => {
  const url = process.env.SAYSO_URL;
  const tokens = memoryTokens();
  const visitor = new VisitorClient({ url, tokens });
  let threadId;
  for await (const event of visitor.chat("Hello!")) if (event.type === "thread") threadId = event.thread_id;
  const graph = new GraphClient({ url, token: tokens });
  const paused = await graph.invoke({
    message: "Please pass on a message: can you speak in May? You can reach me at eve@example.org.", threadId, granularity: "full",
  });
  const question = interruptIn(paused);
  assert.equal(question?.reason, "contact_message");

  const yes = { resume: { approved: true, note: "In May, then." }, interruptId: question.id, threadId };
  await assert.rejects(graph.invoke(yes), ForbiddenError);
  const refused = (Kind, words) => (error) => error instanceof Kind && words.test(error.message);
  await assert.rejects(graph.invoke({ message: "Are you there?", threadId }), refused(ValidationError, /paused at interrupt/));
  const owner = new GraphClient({ url, token: process.env.ADMIN_TOKEN });
  await assert.rejects(owner.invoke({ ...yes, interruptId: "another" }), refused(ConflictError, /does not match/));
  await assert.rejects(owner.invoke({ ...yes, resume: { approved: "yes" } }), refused(ValidationError, /\$\.approved/));

  const lines = [];
  for await (const line of owner.stream(yes)) lines.push(line);
  assert.equal(lines.some((line) => interruptIn(line)), false);
  assert.match(JSON.stringify(lines), /passed on/);
  await assert.rejects(owner.invoke(yes), refused(ConflictError, /Nothing to resume/));
});
