package io.despina.control.assembly;

import io.despina.descriptor.Nearest;
import io.despina.operator.HintedException;

/** What to do about something outside that is not as the graph says. */
public final class Hints {
    private Hints() {
    }

    /** The name that was meant, if one is near; else what the operator says. Null for no hint. */
    public static String of(HintedException why) {
        String near = Nearest.guess(why.name(), why.known());
        return near == null ? why.hint() : near;
    }
}
