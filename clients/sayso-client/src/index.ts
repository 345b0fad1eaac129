/** A typed client for Sayso. Start with `VisitorClient`, `OwnerClient` or `GraphClient`. */

export * from "./events.js";
export * from "./shapes.js";
export {
  AdminDisabledError, AlreadyDecidedError, AmbiguousInterruptError, AuthenticationError, ConflictError, ExpiredError,
  ForbiddenError, InvalidAnswerError, isTransient, NetworkError, NoPendingApprovalError, NotFoundError, NotPausedError,
  OrphanedError, ProtocolError, RateLimitError, SaysoError, ServerError, StaleInterruptError, ThreadBusyError,
  ThreadPausedError, TooLargeError, ValidationError, type Problem,
} from "./errors.js";
export { backoff, type Options } from "./http.js";
export { memoryTokens, storedTokens, type TokenStore } from "./tokens.js";
export {
  VisitorClient, type ChatOptions, type Connection, type FollowOptions, type VisitorOptions,
} from "./visitor.js";
export { OwnerClient, type OwnerOptions } from "./owner.js";
export {
  GraphClient, interruptIn, type Content, type GraphInterrupt, type GraphMessage, type GraphOptions, type Resume,
  type RunData, type RunRequest, type Say, type StreamLine,
} from "./graph.js";
