package io.despina.opcua;

import java.lang.reflect.Array;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.eclipse.milo.opcua.stack.core.types.builtin.ByteString;
import org.eclipse.milo.opcua.stack.core.types.builtin.DataValue;
import org.eclipse.milo.opcua.stack.core.types.builtin.DateTime;
import org.eclipse.milo.opcua.stack.core.types.builtin.ExpandedNodeId;
import org.eclipse.milo.opcua.stack.core.types.builtin.ExtensionObject;
import org.eclipse.milo.opcua.stack.core.types.builtin.LocalizedText;
import org.eclipse.milo.opcua.stack.core.types.builtin.NodeId;
import org.eclipse.milo.opcua.stack.core.types.builtin.QualifiedName;
import org.eclipse.milo.opcua.stack.core.types.builtin.StatusCode;
import org.eclipse.milo.opcua.stack.core.types.builtin.Variant;
import org.eclipse.milo.opcua.stack.core.types.builtin.XmlElement;

/** A value as JSON, which the engine then reads as the type that the graph gives it. */
final class ValueText {
    /** Of structures, lists and variants within each other. */
    private static final int MOST_DEPTH = 256;
    private static final int MOST_CHARS = 64 << 20;

    private final StringBuilder text = new StringBuilder();
    private final Function<ExtensionObject, Object> structures;
    private int depth;

    private ValueText(Function<ExtensionObject, Object> structures) {
        this.structures = structures;
    }

    /**
     * An object of one field.
     *
     * @param structures reads them: maps of their fields
     * @throws UnsupportedOperationException if there is one that cannot be read; the message says why
     */
    static String of(String field, Object value, Function<ExtensionObject, Object> structures) {
        ValueText to = new ValueText(structures);
        to.text.append('{');
        to.quote(field);
        to.text.append(':');
        to.write(value);
        return to.text.append('}').toString();
    }

    /** A structure may have others in it whose fields are names alone, so few bytes of a server's may be much text. */
    private void write(Object value) {
        if (depth == MOST_DEPTH) {
            throw new UnsupportedOperationException("the value has more than " + MOST_DEPTH
                    + " structures and lists within each other");
        }
        if (text.length() > MOST_CHARS) {
            throw new UnsupportedOperationException("the value has more than " + MOST_CHARS + " characters as JSON");
        }
        depth++;
        writeAny(value);
        depth--;
    }

    private void writeAny(Object value) {
        if (value == null) {
            text.append("null");
        } else if (value.getClass().isArray()) {
            writeArray(value);
        } else if (value instanceof ExtensionObject structure) {
            write(structure.isNull() ? null : structures.apply(structure));
        } else if (value instanceof Map<?, ?> fields) {
            writeFields(fields);
        } else if (value instanceof Variant inner) {
            write(inner.getValue());
        } else if (value instanceof DataValue inner) {
            write(inner.getValue());
        } else if (value instanceof Double || value instanceof Float) {
            writeReal(value, ((Number) value).doubleValue());
        } else if (value instanceof Number || value instanceof Boolean) {
            text.append(value);         // the unsigned ones too
        } else {
            writeText(words(value));
        }
    }

    private void writeText(String plain) {
        if (plain == null) {
            text.append("null");
        } else {
            quote(plain);
        }
    }

    private void writeFields(Map<?, ?> fields) {
        text.append('{');
        String between = "";
        for (Map.Entry<?, ?> each : fields.entrySet()) {
            text.append(between);
            quote((String) each.getKey());
            text.append(':');
            write(each.getValue());
            between = ",";
        }
        text.append('}');
    }

    private void writeArray(Object array) {
        text.append('[');
        int length = Array.getLength(array);
        for (int k = 0; k < length; k++) {
            text.append(k == 0 ? "" : ",");
            write(Array.get(array, k));
        }
        text.append(']');
    }

    private void writeReal(Object value, double number) {
        if (Double.isNaN(number) || Double.isInfinite(number)) {
            quote(value.toString());
        } else {
            text.append(value);
        }
    }

    /** Null if it has none. */
    private static String words(Object value) {
        if (value instanceof String || value instanceof UUID) {
            return value.toString();
        } else if (value instanceof DateTime time) {
            return instant(time).toString();
        } else if (value instanceof ByteString bytes) {
            return bytes.isNull() ? null : Base64.getEncoder().encodeToString(bytes.bytes());
        } else if (value instanceof LocalizedText local) {
            return local.getText();
        } else if (value instanceof QualifiedName name) {
            return name.getName();
        } else if (value instanceof NodeId node) {
            return node.toParseableString();
        } else if (value instanceof ExpandedNodeId node) {
            return node.toParseableString();
        } else if (value instanceof StatusCode status) {
            return Words.name(status);
        } else if (value instanceof XmlElement xml) {
            return xml.getFragment();
        }
        throw new UnsupportedOperationException("the value is of the kind " + value.getClass().getSimpleName()
                + ", which is not read");
    }

    /** Milo's own gives milliseconds alone. */
    static Instant instant(DateTime time) {
        long ticks = time.getUtcTime();         // of 100 ns, since 1601
        return Instant.ofEpochSecond(Math.floorDiv(ticks, Reading.TICKS_PER_SECOND) - Reading.SECONDS_1601_TO_1970,
                Math.floorMod(ticks, Reading.TICKS_PER_SECOND) * Reading.NANOS_PER_TICK);
    }

    private void quote(String plain) {
        text.append('"');
        for (int k = 0; k < plain.length(); k++) {
            char c = plain.charAt(k);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ') {
                text.append(String.format("\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }
}
