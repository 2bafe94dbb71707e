// Seed: types of results without schemas.
import { Results } from "stepwell";
import { same } from "./same";

export const results = Results<{
  findTree: { treeId: string; species: string };
  chopTree: { pieces: number };
}>();

function findTree() {
  return { treeId: "oak-123", species: "oak" };
}

function chopTree({ steps }: { steps: typeof results.Steps }) {
  same<string>()(steps.findTree.result./*completes treeId species*/treeId);
  same<{}>()(results.schemas);
  return { pieces: 10 };
}

export const steps = [findTree, chopTree];
