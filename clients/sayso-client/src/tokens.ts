/** Where a token is kept. The library keeps nothing by itself: the caller says where. */

export interface TokenStore {
  get(): string | null | Promise<string | null>;
  set(token: string | null): void | Promise<void>;
}

/** Gone with the page. */
export function memoryTokens(token: string | null = null): TokenStore {
  return {
    get: () => token,
    set: (given) => {
      token = given;
    },
  };
}

/** In a `Storage` such as `localStorage`; in memory where the browser refuses it. */
export function storedTokens(key: string, storage: () => Storage): TokenStore {
  const fallback = memoryTokens();
  return {
    get: () => {
      try {
        return storage().getItem(key) ?? fallback.get();
      } catch {
        return fallback.get();
      }
    },
    set: (token) => {
      void fallback.set(token);
      try {
        if (token === null) storage().removeItem(key);
        else storage().setItem(key, token);
      } catch {
        // Blocked or full: memory has it.
      }
    },
  };
}
