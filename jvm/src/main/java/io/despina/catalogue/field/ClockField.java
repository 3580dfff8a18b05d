package io.despina.catalogue.field;

import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.or;

import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Values;
import io.despina.plan.OperatorSpec.SparkGap;
import io.despina.spec.Clock;
import java.util.List;

/** The field {@code clock}. */
public final class ClockField {
    public static final FieldSpec FIELD = or("clock", words(
            "event", "event time: it goes as the watermark does",
            "processing", "the wall clock of the resource. A packet has the time at which it is taken. Rows leave when the clock "
                    + "has come so far, whether packets come or not, and nothing is late. The stream needs no event time, and "
                    + "the one at `out` has none. When the input ends, what is open leaves at once; when the job is stopped, "
                    + "it does not. It has no form on Spark"), "\"event\"", "What tells the time.");

    /** The types of window that have it. */
    private static final List<String> TYPES = List.of("tumbling", "sliding", "session");

    /** What can be done where there is no event time, for {@link io.despina.plan.PlanningContext#hasTime}. */
    public static final String OTHERWISE = "; or go by the wall clock, with \"clock\": \"processing\"";

    private ClockField() {
    }

    /** The same for a window, or none; nothing where one of its type has no such field. */
    public static String otherwise(Values window) {
        return window != null && TYPES.contains(window.word()) ? OTHERWISE : "";
    }

    public static Clock read(Values fields) {
        boolean written = fields != null && fields.isWritten("clock");
        return written && fields.string("clock", "event").equals("processing") ? Clock.PROCESSING : Clock.EVENT;
    }

    /** Why the rows of an operator that goes by it have no event time; null if they may have one. */
    public static String losesTime(Clock clock) {
        return clock == Clock.EVENT ? null : "by the wall clock its rows have none";
    }

    /** What Spark lacks for it. */
    public static List<SparkGap> sparkGaps(Clock clock) {
        return clock == Clock.EVENT ? List.of()
                : List.of(new SparkGap("the wall clock tells when the engine takes a packet, which Spark does not do one by one",
                        "use event time there"));
    }
}
