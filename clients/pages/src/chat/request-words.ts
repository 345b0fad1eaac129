/** What the visitor reads about a request, by what it is and whose word it asks for. */

import { fieldName } from "../shared/fields.js";
import { t } from "../shared/language.js";
import type { Request } from "./log.js";

/** A message is sent; everything else is done. */
export function isMessage(request: Request): boolean {
  return request.tool === "draft_contact_message";
}

export function asksVisitor(request: Request): boolean {
  return request.approver === "user";
}

export function requestTitle(request: Request): string {
  return t.request.tools[request.tool] ?? fieldName(request.tool);
}

export function statusWord(request: Request): string {
  const own: Partial<Record<Request["status"], string>> = asksVisitor(request) ? t.request.own.status : {};
  return own[request.status] ?? t.request.status[request.status];
}

export function explanation(request: Request, owner: string): string {
  const words = asksVisitor(request) ? t.request.own.explain(deed(request)) : t.request.explain(owner, deed(request));
  return words[request.status];
}

/** Above the arguments. */
export function whatItIs(request: Request): string {
  if (request.status === "pending") return t.request.what(deed(request));
  if (request.status !== "approved") return t.request.whatWouldBe(deed(request));
  return asksVisitor(request) ? t.request.own.whatWas : t.request.whatWas;
}

function deed(request: Request): string {
  return isMessage(request) ? t.request.deed.sent : t.request.deed.done;
}
