// Steps side by side.
import { createWorkflow } from 'stepwell'

const validateOrder = () => ({ isValid: true })
const sendEmail = async () => 'mailed'
const sendSms = async () => 'texted'
const updateCRM = async () => 'noted'
const finalize = ({ steps }) => steps.notifications.result

createWorkflow('parallel')
    .step(validateOrder)
    .parallel({
        name: 'notifications',
        steps: [sendEmail, sendSms, updateCRM]
    })
    .step(finalize)
    .register()
