package io.despina.descriptor;

import static io.despina.descriptor.JsonPrinter.object;

import io.despina.descriptor.FieldKind.Section;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Makes the JSON schema (draft 2020-12) of the graph file from the declarations. Every section is a definition, named by its
 * path. Operator types have their ports in {@code x-inputs} and {@code x-outputs}, and in {@code x-ports-of} the field whose
 * keys are output ports too. A default that JSON cannot express is in words
 * in {@code x-default}.
 */
final class GraphSchema {
    private static final String PARAMETER = "^\\$\\{" + CommonFields.NAME + "\\}$";
    private final Map<String, Object> definitions = new LinkedHashMap<>();

    private final GraphFormat format;

    private GraphSchema(GraphFormat format) {
        this.format = format;
    }

    static String write(GraphFormat format) {
        GraphSchema schema = new GraphSchema(format);
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("$schema", "https://json-schema.org/draft/2020-12/schema");
        root.put("title", "Despina graph, format " + Format.VERSION);
        root.putAll(schema.section(format.graph(), "", null));
        schema.kind(new FieldKind.Fields(format.part()), "");
        root.put("$defs", schema.definitions);
        return new JsonPrinter().print(root);
    }

    private Map<String, Object> section(Section section, String path, String type) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("description", section.doc());
        json.put("type", "object");
        Map<String, Object> properties = new LinkedHashMap<>();
        List<Object> required = new ArrayList<>();
        if (type != null) {
            properties.put("type", Map.of("const", type));
            required.add("type");
        }
        for (FieldSpec field : section.fields()) {
            properties.put(field.name(), field(field, path));
            if (field.required()) {
                required.add(field.name());
            }
        }
        json.put("properties", properties);
        if (!required.isEmpty()) {
            json.put("required", required);
        }
        json.put("additionalProperties", false);
        return json;
    }

    private Map<String, Object> field(FieldSpec field, String path) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("description", field.doc());
        json.putAll(kind(field.kind(), path.isEmpty() ? field.name() : path + "." + field.name()));
        if (field.defaultJson() != null) {
            json.put("default", new JsonPrinter.Raw(field.defaultJson()));
        } else if (field.defaultWords() != null) {
            json.put("x-default", field.defaultWords());
        }
        return json;
    }

    private Map<String, Object> kind(FieldKind declared, String path) {
        FieldKind kind = FieldKinds.resolve(declared);
        if (kind instanceof FieldKind.Text text && text.mostBytes() < Integer.MAX_VALUE) {
            return object("type", "string", "maxLength", text.mostBytes());
        }
        if (kind instanceof FieldKind.Whole whole) {
            return orParameter(number(whole));
        }
        if (kind instanceof FieldKind.Real real) {
            Map<String, Object> number = new LinkedHashMap<>(Map.of("type", "number"));
            number.put(real.minExcluded() ? "exclusiveMinimum" : "minimum", real.min());
            return orParameter(number);
        }
        if (kind instanceof FieldKind.Flag) {
            return orParameter(Map.of("type", "boolean"));
        }
        if (kind instanceof FieldKind.Words words) {
            List<Object> each = new ArrayList<>();
            words.words().forEach(w -> each.add(object("const", w.name(), "description", w.doc())));
            return orParameter(object("oneOf", each));
        }
        if (kind instanceof FieldKind.Expression) {
            Object lines = object("type", "array", "items", Map.of("type", "string"), "minItems", 1);
            definitions.putIfAbsent("expression", object("description", "Spark SQL text: a string, or an array of lines.",
                    "anyOf", List.of(Map.of("type", "string"), lines)));
            return reference("expression");
        }
        if (kind instanceof FieldKind.ListOf list) {
            return object("type", "array", "items", kind(list.item(), path), "minItems", list.min());
        }
        return container(kind, path);
    }

    private Map<String, Object> container(FieldKind kind, String path) {
        if (kind instanceof FieldKind.MapOf map) {
            Map<String, Object> json = object("type", "object", "additionalProperties", kind(map.value(), path));
            if (map.keyPattern() != null) {
                json.put("propertyNames", Map.of("pattern", "^(" + map.keyPattern() + ")$"));
            }
            return json;
        }
        if (kind instanceof FieldKind.Fields fields) {
            String name = fields.section().name();
            define(name, () -> section(fields.section(), name, null));
            return reference(name);
        }
        if (kind instanceof FieldKind.Variant variant) {
            define(variant.name(), () -> variant(variant));
            return reference(variant.name());
        }
        return kind instanceof FieldKind.Ddl ? object("type", "string", "x-format", "ddl") : object("type", "string");
    }

    private Map<String, Object> variant(FieldKind.Variant variant) {
        List<Object> each = new ArrayList<>();
        for (Section section : variant.sections()) {
            String name = variant.name() + "." + section.name();
            Map<String, Object> json = section(section, name, section.name());
            OperatorType type = variant == format.operator() ? format.type(section.name()) : null;
            if (type != null) {
                json.put("x-inputs", List.copyOf(type.inputs()));
                if (type.further() != null) {
                    json.put("x-further-input", object("port", type.further().port(), "with", type.further().with()));
                }
                if (type.inputsOf() != null) {
                    json.put("x-inputs-of", type.inputsOf());
                }
                json.put("x-outputs", List.copyOf(type.outputs()));
                if (type.portsOf() != null) {
                    json.put("x-ports-of", type.portsOf());
                }
            }
            definitions.put(name, json);
            each.add(reference(name));
        }
        return object("oneOf", each);
    }

    private void define(String name, Supplier<Map<String, Object>> definition) {
        if (!definitions.containsKey(name)) {
            definitions.put(name, Map.of());
            definitions.put(name, definition.get());
        }
    }

    private static Map<String, Object> number(FieldKind.Whole whole) {
        Map<String, Object> json = object("type", "integer");
        if (whole.min() > Long.MIN_VALUE / 1000) {
            json.put("minimum", whole.min());
        }
        if (whole.max() < Long.MAX_VALUE / 1000) {
            json.put("maximum", whole.max());
        }
        return json;
    }

    private static Map<String, Object> orParameter(Map<String, Object> json) {
        return object("anyOf", List.of(json, object("type", "string", "pattern", PARAMETER)));
    }

    private static Map<String, Object> reference(String name) {
        return object("$ref", "#/$defs/" + name);
    }
}
