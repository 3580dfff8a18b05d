package io.despina.descriptor;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/** Prints maps, collections, strings, numbers and booleans as JSON, two spaces per level, in the order given. */
public final class JsonPrinter {

    /** JSON text that is printed unchanged. */
    public record Raw(String json) {
    }

    private final StringBuilder out = new StringBuilder();

    /** An object. @param namesAndValues of its members, in turn */
    public static Map<String, Object> object(Object... namesAndValues) {
        Map<String, Object> members = new LinkedHashMap<>();
        for (int k = 0; k < namesAndValues.length; k += 2) {
            members.put((String) namesAndValues[k], namesAndValues[k + 1]);
        }
        return members;
    }

    /** @return the document, with a newline at its end */
    public String print(Object value) {
        out.setLength(0);
        value(value, "\n");
        return out.append('\n').toString();
    }

    private void value(Object value, String indent) {
        if (value instanceof Map<?, ?> map) {
            String separator = "{";
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                out.append(separator).append(indent).append("  ").append(JsonWriter.quoted((String) entry.getKey())).append(": ");
                value(entry.getValue(), indent + "  ");
                separator = ",";
            }
            out.append(map.isEmpty() ? "{}" : indent + "}");
        } else if (value instanceof Collection<?> list) {
            String separator = "[";
            for (Object item : list) {
                out.append(separator).append(indent).append("  ");
                value(item, indent + "  ");
                separator = ",";
            }
            out.append(list.isEmpty() ? "[]" : indent + "]");
        } else if (value instanceof Raw raw) {
            out.append(raw.json());
        } else if (value == null || value instanceof Number || value instanceof Boolean) {
            out.append(value);
        } else {
            out.append(JsonWriter.quoted(value.toString()));
        }
    }
}
