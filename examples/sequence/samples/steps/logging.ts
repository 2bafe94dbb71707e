// Lines of a log are kept with the step and with the run; each has the run, the step and the time.
import { z } from 'zod'

export const input = z.object({ treeType: z.string() })

function findTreeInDatabase(treeType: string) {
    return { id: `${treeType}-123` }
}

function findTree({ input, log }) {
    log.info({ treeType: input.treeType }, 'Searching for tree')

    const tree = findTreeInDatabase(input.treeType)

    log.debug({ treeId: tree.id }, 'Tree found')
    return tree
}

export const steps = [findTree]
