package io.despina.descriptor;

import java.util.Locale;

/** How bad a {@link Diagnostic} is. */
public enum Severity {
    /** The graph is refused. */
    ERROR,
    /** It runs. */
    WARNING;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
