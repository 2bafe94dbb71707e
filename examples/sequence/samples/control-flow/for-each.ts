// A step for each item, two at a time; the results are in the order of the items.
import { forEach } from 'stepwell'

const listTrees = () => ['oak', 'ash', 'elm']

async function plant({ item, index }) {
    return `${index + 1}: ${item}`
}

export const steps = [
    listTrees,
    forEach({ name: 'planting', items: ({ steps }) => steps.listTrees?.result, steps: [plant], concurrency: 2 })
]
