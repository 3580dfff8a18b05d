package io.despina.catalogue.field;

import io.despina.descriptor.FieldKind;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.plan.PlanningContext;
import io.despina.spec.Clock;
import io.despina.spec.Windows;
import java.util.List;

/** A {@code window} that is tumbling, or perhaps sliding, where the others make no sense. */
public final class AlignedWindow {
    /** As in {@code aggregate}. */
    public static final FieldKind KIND = WindowFields.KIND;
    private static final long MICROS_PER_MS = 1_000;

    private AlignedWindow() {
    }

    /** The same for an operator of one input, which must have event time unless the window goes by the wall clock. */
    public static Windows read(PlanningContext context, List<String> words) {
        Values written = context.fields().fields("window");
        return clock(context) == Clock.PROCESSING || context.hasTime(context.input(), "in", "a " + written.word() + " window",
                ClockField.otherwise(written)) ? of(context, words) : null;
    }

    /** What tells its time. */
    public static Clock clock(PlanningContext context) {
        return ClockField.read(context.fields().fields("window"));
    }

    /** Null after a refusal. @param words the types of window that may stand here */
    public static Windows of(PlanningContext context, List<String> words) {
        Values written = context.fields().fields("window");
        String word = written.word();
        if (!words.contains(word)) {
            return context.refuse(written.place(), Rule.EXCLUSIVE, "`" + context.operator().type().word() + "` and a " + word
                    + " window exclude each other", "a window here is " + String.join(" or ", words));
        }
        if (WindowFields.isFired(written)) {
            return context.refuse(written.place(written.isWritten("fire") ? "fire" : "late_within_ms"), Rule.EXCLUSIVE,
                    "`" + context.operator().type().word() + "` gives the rows of a window once, when it closes",
                    "leave it out; an `aggregate` may fire more than once");
        }
        long size = written.whole("size_ms", 0);
        long slide = word.equals("sliding") ? written.whole("slide_ms", 0) : size;
        if (slide > size) {
            return context.refuse(written.place("slide_ms"), Rule.OUT_OF_RANGE, "`slide_ms` " + slide
                    + " is more than `size_ms` " + size, "packets between two windows would be lost");
        }
        return new Windows(size * MICROS_PER_MS, slide * MICROS_PER_MS, written.whole("offset_ms", 0) * MICROS_PER_MS);
    }
}
