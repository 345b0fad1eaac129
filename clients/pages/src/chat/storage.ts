/** Where a browser keeps the visitor's token and the thread: this origin's storage, or, where that is blocked, the host page's. */

import { memoryTokens, storedTokens, type TokenStore } from "sayso-client";

import type { Kept } from "./conversation.js";
import type { Host } from "./host.js";

export interface Memory {
  tokens: TokenStore;
  kept: Kept;
}

/** For the page of its own. */
export function ownStorage(site = ""): Memory {
  const suffix = site ? `:${site}` : "";
  return { tokens: storedTokens(`sayso.token${suffix}`, () => localStorage), kept: keptIn(`sayso.thread${suffix}`) };
}

/** For a frame that may not store anything: the page around it keeps it, for its own origin. */
export function hostStorage(host: Host): Memory {
  let thread = host.kept.thread;
  const tokens = memoryTokens(host.kept.token);
  return {
    tokens: {
      get: tokens.get,
      set: (token) => {
        void tokens.set(token);
        host.keep({ token });
      },
    },
    kept: {
      get: () => thread,
      set: (threadId) => {
        thread = threadId;
        host.keep({ thread: threadId });
      },
    },
  };
}

/** Whether this browser lets this page keep anything at all. */
export function canStore(): boolean {
  try {
    localStorage.setItem("sayso.probe", "1");
    localStorage.removeItem("sayso.probe");
    return true;
  } catch {
    return false;
  }
}

function keptIn(key: string): Kept {
  let inMemory: string | null = null;
  return {
    get: () => {
      try {
        return localStorage.getItem(key) ?? inMemory;
      } catch {
        return inMemory;
      }
    },
    set: (threadId) => {
      inMemory = threadId;
      try {
        if (threadId === null) localStorage.removeItem(key);
        else localStorage.setItem(key, threadId);
      } catch {
        // Memory has it.
      }
    },
  };
}
