/** Resolves to the address where `dist` is served before the server at `server`, and a function that ends it. */
export function serveDist(dist: string, server: string): Promise<{ url: string; stop: () => void }>;
