/** How the form that @rjsf makes looks here. */

import type { ArrayFieldItemTemplateProps, ArrayFieldTemplateProps, DescriptionFieldProps, FieldTemplateProps, ObjectFieldTemplateProps, TemplatesType } from "@rjsf/utils";
import { Plus } from "lucide-react";

import { Said } from "../ui/parts";

function Field({ id, label, children, rawErrors, rawDescription, required, hidden, displayLabel, schema, errors, help }: FieldTemplateProps) {
  if (hidden) return <div hidden>{children}</div>;
  const isGroup = schema.type === "object" || schema.type === "array";
  if (isGroup) {
    return (
      <div className="form-group">
        {children}
        {rawErrors !== undefined && rawErrors.length > 0 && errors}
        {help}
      </div>
    );
  }
  return (
    <div className="field" data-invalid={rawErrors !== undefined && rawErrors.length > 0}>
      {displayLabel && (
        <label className="label" htmlFor={id}>
          {label}
          {required && (
            <span className="faint" title="required">
              {" "}
              *
            </span>
          )}
        </label>
      )}
      {children}
      {rawDescription !== undefined && rawDescription !== "" && <small className="hint"><Said text={rawDescription} /></small>}
      {rawErrors?.map((error, n) => (
        <div key={n} className="field-error" role="alert">
          {error}
        </div>
      ))}
      {help}
    </div>
  );
}

function ObjectFields({ title, description, properties, fieldPathId, required }: ObjectFieldTemplateProps) {
  const isRoot = fieldPathId.path.length === 0;
  return (
    <fieldset className={isRoot ? "form-root" : "form-object"}>
      {!isRoot && title !== "" && (
        <legend>
          {title}
          {required && <span className="faint"> *</span>}
        </legend>
      )}
      {!isRoot && description !== undefined && <p className="hint">{description}</p>}
      {properties.length === 0 && <p className="muted">It takes an object without fields.</p>}
      {properties.map((property) => property.content)}
    </fieldset>
  );
}

function ArrayFields({ title, items, canAdd, onAddClick, schema, required }: ArrayFieldTemplateProps) {
  return (
    <fieldset className="form-object">
      <legend>
        {title}
        {required && <span className="faint"> *</span>}
      </legend>
      {schema.description !== undefined && <p className="hint">{schema.description}</p>}
      {items}
      {canAdd && (
        <div>
          <button type="button" className="button small" onClick={onAddClick}>
            <Plus size={13} aria-hidden /> Add {title === "" ? "an item" : `to ${title}`}
          </button>
        </div>
      )}
    </fieldset>
  );
}

function ArrayItem({ children, buttonsProps, hasToolbar, index }: ArrayFieldItemTemplateProps) {
  return (
    <div className="form-item">
      <div className="grow">{children}</div>
      {hasToolbar && buttonsProps.hasRemove === true && (
        <button type="button" className="button plain small" aria-label={`Remove item ${index + 1}`} onClick={buttonsProps.onRemoveItem}>
          Remove
        </button>
      )}
    </div>
  );
}

function Description({ description, id }: DescriptionFieldProps) {
  return (
    <p id={id} className="hint">
      {description}
    </p>
  );
}

export const templates: Partial<TemplatesType> = {
  FieldTemplate: Field,
  ObjectFieldTemplate: ObjectFields,
  ArrayFieldTemplate: ArrayFields,
  ArrayFieldItemTemplate: ArrayItem,
  DescriptionFieldTemplate: Description,
};
