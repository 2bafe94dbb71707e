/** Values as of any event. */

/** How many of these numbers, which go up, are not above `most`. */
export function countUpTo(numbers: readonly number[], most: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? Infinity) <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A value with the events that changed it, oldest first. */
export class Versions<T> {
  private readonly seqs: number[] = [];
  private readonly values: T[] = [];

  /** `seq` is not before any that was set. */
  set(seq: number, value: T) {
    if (this.seqs.at(-1) === seq) this.values.pop();
    else this.seqs.push(seq);
    this.values.push(value);
  }

  get latest(): T | undefined {
    return this.values.at(-1);
  }

  /** None before the first one. */
  at(seq: number): T | undefined {
    return this.values[countUpTo(this.seqs, seq) - 1];
  }
}
