// Three ways to add steps.
import { createWorkflow } from 'stepwell'

const findTree = () => ({ treeId: 'oak-123' })
const chopTree = ({ lastStep }) => ({ chopped: lastStep.result.treeId })
const processTree = ({ lastStep }) => ({ processed: lastStep.result.chopped })
const slackError = ({ error, log }) => log.error(`to Slack: ${error.message}`)

// 1. One by one
const oneByOne = createWorkflow('oneByOne')
oneByOne.step(findTree)
oneByOne.step(chopTree)
oneByOne.register()

// 2. Several with options
createWorkflow('withOptions')
    .steps([
        { fn: findTree, timeout: 30000, onTimeout: 'retry', maxAttempts: 3 },
        { fn: chopTree, onError: slackError },
        { fn: processTree }
    ])
    .register()

// 3. Several without
createWorkflow('plainList').steps([findTree, chopTree, processTree]).register()
