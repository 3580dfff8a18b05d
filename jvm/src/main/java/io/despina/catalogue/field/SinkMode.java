package io.despina.catalogue.field;

import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.or;

import io.despina.descriptor.CommonFields;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Rule;
import io.despina.plan.PlanningContext;

/** The field {@code mode} of sinks that cannot change a row that they have given away. */
public final class SinkMode {
    public static final FieldSpec APPEND_ONLY = or("mode", words("append", "each row is given on, and stays", "upsert", "refused",
            "changelog", "refused"), "\"append\"", "What becomes of earlier rows with the same key. `collect_sink` has all "
            + "three; `sql` reaches a database by its statement, which may be `INSERT … ON CONFLICT … DO UPDATE` or "
            + "`DELETE`; `latest` before any sink keeps the newest row of each key.");

    private SinkMode() {
    }

    /** Whether the sink is to append; refuses other modes. */
    public static boolean isAppend(PlanningContext context) {
        String mode = context.fields().string("mode", "append");
        if (!mode.equals("append")) {
            context.refuse(context.fields().place("mode"), Rule.EXCLUSIVE, "`" + context.operator().type().word()
                    + "` cannot change or take back a row that it has given on, so `mode` is append, not " + mode,
                    CommonFields.WHAT_UPSERTS);
        }
        return mode.equals("append");
    }
}
