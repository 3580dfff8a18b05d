package io.despina.catalogue.field;

import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.or;

import io.despina.descriptor.CommonFields;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.operator.RowChange;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.plan.PlanningContext;

/** The field {@code mode} of sinks that cannot change a row that they have given away. */
public final class SinkMode {
    public static final FieldSpec APPEND_ONLY = or("mode", words("append", "each row is given on, and stays", "upsert", "refused",
            "changelog", "refused"), "\"append\"", "What becomes of earlier rows with the same key. `collect_sink` and "
            + "`jdbc_sink` have all three; `latest` before any sink keeps the newest row of each key.");

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

    /** Whether the stream has what a changelog has, a column that says what becomes of a row; refuses other streams. */
    public static boolean isChangelog(PlanningContext context) {
        Values fields = context.fields();
        Schema in = context.input().schema();
        int op = context.column(in, RowChange.COLUMN, fields.place("mode"));
        if (op < 0) {
            return false;
        }
        if (in.column(op).type() != Type.Simple.STRING || in.size() == 1) {
            context.refuse(fields.place("mode"), Rule.COLUMN_TYPE, "a changelog has a STRING column `op` and others, and the "
                    + "stream has " + in.sql(), null);
            return false;
        }
        for (Text key : fields.texts("keys")) {
            if (key.value().strip().equalsIgnoreCase(RowChange.COLUMN)) {
                context.refuse(key.place(), Rule.EXCLUSIVE, "`op` says what becomes of a row, and is not in it",
                        "name columns that a row keeps for its life");
                return false;
            }
        }
        return true;
    }
}
