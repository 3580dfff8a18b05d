package io.despina.python;

import java.util.Locale;

/** What a user's function is in its graph. */
public enum FunctionRole {
    /** It takes packets, and answers. */
    FUNCTION,
    /** It brings rows. */
    SOURCE,
    /** It takes packets, and answers nothing. */
    SINK;

    /** As the worker reads it. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
