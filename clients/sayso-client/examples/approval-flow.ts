/**
 * The approval flow, from both sides: a visitor asks for something to be passed on, the owner changes it and says yes,
 * and the visitor's page hears the ending. Runs against a twin: `SAYSO_URL`, `ADMIN_TOKEN`.
 */

import { AlreadyDecidedError, OwnerClient, VisitorClient, type Numbered } from "sayso-client";

export async function approvalFlow(url: string, adminToken: string): Promise<string> {
  const visitor = new VisitorClient({ url });
  const owner = new OwnerClient({ url, token: adminToken });

  // The visitor asks. The run ends with the notice, and with the question that waits for the owner.
  let threadId = "";
  let last = 0;
  let question: string | undefined;
  for await (const event of visitor.chat("Please tell Ada I can meet on Friday. I am bob@example.com")) {
    last = event.seq ?? last;
    if (event.type === "thread") threadId = event.thread_id;
    if (event.type === "text") console.log(event.text);
    if (event.type === "interrupt" && event.status === "pending") question = event.interrupt_id;
  }
  if (question === undefined) throw new Error("The twin did not ask for approval.");

  // The page stays on the thread, through reconnects and restarts, for as long as the owner needs.
  const ending = closingText(visitor.follow(threadId, { after: last }));

  // The owner sees exactly what would be sent, edits it, and says yes to exactly this question.
  const card = (await owner.pending()).find((waiting) => waiting.interrupt_id === question);
  const input = card?.tool_calls[0]?.input;
  const decision = {
    interrupt_id: question,
    approved: true,
    arguments: { ...input, subject: "Meeting on Friday" },
    note: "See you then.",
  };
  await owner.decide(threadId, decision);

  // A second decision is a conflict and changes nothing.
  try {
    await owner.decide(threadId, { interrupt_id: question, approved: false });
  } catch (error) {
    if (!(error instanceof AlreadyDecidedError)) throw error;
    console.log(`Decided already, by ${error.decision.by} at ${error.decision.at}.`);
  }
  return ending;
}

async function closingText(events: AsyncIterable<Numbered>): Promise<string> {
  let text = "";
  for await (const event of events) {
    if (event.type === "text") text += event.text;
    if (event.type === "done") break;
  }
  return text;
}
