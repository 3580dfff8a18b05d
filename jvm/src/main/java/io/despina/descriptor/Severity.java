package io.despina.descriptor;

import java.util.Locale;

/** The severity of a {@link Diagnostic}. */
public enum Severity {
    /** The graph is refused. */
    ERROR,
    /** The graph runs. */
    WARNING;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
