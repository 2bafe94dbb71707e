/** Reading a journal whole, which may be long. */

import type { EventPage, JournalEvent } from "./types";

/** How many events of a journal one request asks for. */
export const JOURNAL_PAGE = 1_000;
/** How many such requests are under way at once. A browser has six connections to one server, and others need some. */
const JOURNAL_PAGES_AT_ONCE = 3;

/** The events that follow those that are known, several pages at a time. The journal ends at `lastSeq` or after it. */
export async function readJournal(known: JournalEvent[], lastSeq: number, read: (from: number) => Promise<EventPage>): Promise<JournalEvent[]> {
  const events = [...known];
  // Events may be missing, so that a page reaches beyond the beginning of the next one.
  const add = (page: EventPage) => {
    const last = events.at(-1)?.seq ?? -1;
    events.push(...page.events.filter(({ seq }) => seq > last));
    return page.next_cursor;
  };
  let from = (known.at(-1)?.seq ?? -1) + 1;
  for (;;) {
    const begins = Array.from({ length: JOURNAL_PAGES_AT_ONCE }, (_, n) => from + n * JOURNAL_PAGE).filter((begin, n) => n === 0 || begin <= lastSeq);
    let next: string | null = null;
    for (const page of await Promise.all(begins.map(read))) next = add(page);
    if (next === null) return events;
    from = (events.at(-1)?.seq ?? -1) + 1;
  }
}
