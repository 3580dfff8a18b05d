package io.despina.descriptor;

import java.util.Locale;

/** Properties of kinds for all readers of the declarations. */
final class FieldKinds {
    private FieldKinds() {
    }

    /** The kind itself, if it is named by a {@link FieldKind.Later}. */
    static FieldKind resolve(FieldKind kind) {
        return kind instanceof FieldKind.Later later ? later.kind().get() : kind;
    }

    /** The expected value, with an article, for messages. */
    static String what(FieldKind kind) {
        FieldKind resolved = resolve(kind);
        if (resolved instanceof FieldKind.Whole) {
            return "a whole number";
        }
        if (resolved instanceof FieldKind.Real) {
            return "a number";
        }
        if (resolved instanceof FieldKind.Flag) {
            return "true or false";
        }
        if (resolved instanceof FieldKind.Expression) {
            return "an expression: a string or an array of lines";
        }
        if (resolved instanceof FieldKind.ListOf) {
            return "an array";
        }
        return resolved instanceof FieldKind.Fields || resolved instanceof FieldKind.MapOf
                || resolved instanceof FieldKind.Variant
                ? "an object" : "a string";
    }

    /** How a field may be written, behind what it is; empty where that says enough. */
    static String example(FieldSpec field) {
        FieldKind kind = resolve(field.kind());
        String value = kind instanceof FieldKind.Whole whole
                ? Long.toString(Math.max(whole.min(), field.name().endsWith("_ms") ? 1000 : 10))
                : kind instanceof FieldKind.Words words ? "\"" + words.names().get(0) + "\""
                : kind instanceof FieldKind.Ddl ? "\"ts TIMESTAMP, device STRING, celsius DOUBLE\""
                : kind instanceof FieldKind.Variant variant ? "{\"type\": \"" + variant.names().get(0) + "\", …}" : null;
        return value == null ? "" : " For example \"" + field.name() + "\": " + value;
    }

    /** Both limits, for messages. */
    static String bounds(FieldKind.Whole whole) {
        return whole.min() == whole.max() ? limits(whole) : whole.min() + " to " + whole.max();
    }

    static String bounds(FieldKind.Real real) {
        return limits(real) + ", at most " + Double.MAX_VALUE;
    }

    /** The limits in words, for the reference; empty if there are none worth mentioning. */
    static String limits(FieldKind.Whole whole) {
        boolean low = whole.min() > Long.MIN_VALUE / 1000;
        boolean high = whole.max() < Long.MAX_VALUE / 1000;
        if (low && high) {
            return whole.min() == whole.max() ? "exactly " + whole.min() : whole.min() + " to " + whole.max();
        }
        return low ? "at least " + whole.min() : high ? "at most " + whole.max() : "";
    }

    static String limits(FieldKind.Real real) {
        String bound = real.min() == Math.rint(real.min()) ? String.format(Locale.ROOT, "%.0f", real.min()) : "" + real.min();
        return real.minExcluded() ? "more than " + bound : "at least " + bound;
    }
}
