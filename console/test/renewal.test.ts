import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { describe, expect, it, vi } from "vitest";

import { renewal } from "../src/api/queries";

describe("what is read anew", () => {
  it("is read once more when news come while a request is under way", async () => {
    const client = new QueryClient();
    let truth = "waiting";
    const answers: (() => void)[] = [];
    // Each request sees the truth of when it was made, and answers when it is let.
    const queryFn = () => {
      const seen = truth;
      return new Promise<string>((resolve) => answers.push(() => resolve(seen)));
    };
    const observer = new QueryObserver(client, { queryKey: ["run"], queryFn });
    const stop = observer.subscribe(() => undefined);
    const renew = renewal(client, [["run"]], 5);
    truth = "cancelled";
    renew();
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    answers[0]?.();
    await vi.waitFor(() => expect(answers).toHaveLength(2), { timeout: 5_000 });
    answers[1]?.();
    await vi.waitFor(() => expect(observer.getCurrentResult().data).toBe("cancelled"), { timeout: 5_000 });
    renew.stop();
    stop();
  });
});
