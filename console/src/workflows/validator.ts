/**
 * The check of forms, by an interpreter of JSON Schema.
 *
 * The usual validator writes code and runs it, which the page's security policy forbids. This one gives @rjsf what it asks
 * of a validator; the server has the last word anyway.
 */

import { Validator, type OutputUnit, type Schema as CfSchema } from "@cfworker/json-schema";
import {
  createErrorHandler,
  toErrorSchema,
  unwrapErrorHandler,
  validationDataMerge,
  type CustomValidator,
  type ErrorSchema,
  type ErrorTransformer,
  type RJSFSchema,
  type RJSFValidationError,
  type UiSchema,
  type ValidationData,
  type ValidatorType,
} from "@rjsf/utils";

function check(schema: RJSFSchema, value: unknown): OutputUnit[] {
  // `undefined` is no JSON; leaving a field out and not having it are the same.
  const data: unknown = value === undefined ? null : JSON.parse(JSON.stringify(value));
  return new Validator(schema as CfSchema, "2020-12", false).validate(data).errors;
}

/** Errors at the leaves: that a parent fails because its child does is no news. */
export function problemsOf(schema: RJSFSchema, value: unknown): RJSFValidationError[] {
  const found = check(schema, value).filter((error) => !["properties", "items", "prefixItems", "$ref", "allOf", "additionalProperties"].includes(error.keyword));
  return found.map((error) => {
    const isMissing = error.keyword === "required";
    const missing = isMissing ? /"([^"]+)"/.exec(error.error)?.[1] : undefined;
    const parts = error.instanceLocation.split("/").slice(1).map(unescaped);
    if (missing !== undefined) parts.push(missing);
    const message = isMissing ? "is required" : wording(error);
    const property = parts.map((part) => `.${part}`).join("");
    return { name: error.keyword, property, message, stack: `${property || "."} ${message}`, schemaPath: error.keywordLocation };
  });
}

function unescaped(part: string): string {
  const text = part.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function wording({ keyword, error }: OutputUnit): string {
  const text = error.replace(/^Instance /, "").replace(/\.$/, "");
  if (keyword === "type") return text.replace(/^type "(.+)" is invalid\. Expected "(.+)"$/, "must be of type $2, and is of type $1");
  return text.charAt(0).toLowerCase() + text.slice(1);
}

export const validator: ValidatorType = {
  validateFormData(data: unknown, schema: RJSFSchema, custom?: CustomValidator, transform?: ErrorTransformer, ui?: UiSchema): ValidationData<unknown> {
    let errors = problemsOf(schema, data);
    if (transform !== undefined) errors = transform(errors, ui);
    const found: ValidationData<unknown> = { errors, errorSchema: toErrorSchema(errors) };
    if (custom === undefined) return found;
    const handled = custom(data, createErrorHandler(data), ui, found.errorSchema);
    return validationDataMerge(found, unwrapErrorHandler(handled) as ErrorSchema);
  },
  isValid(schema: RJSFSchema, data: unknown, root: RJSFSchema): boolean {
    // Parts of a schema refer to its whole.
    const whole = { ...schema, $defs: { ...(root.$defs ?? {}), ...(schema.$defs ?? {}) }, definitions: root.definitions };
    try {
      return check(whole as RJSFSchema, data).length === 0;
    } catch {
      return false;
    }
  },
  rawValidation<Result>(schema: RJSFSchema, data: unknown) {
    return { errors: check(schema, data) as Result[] };
  },
};


export default validator;
