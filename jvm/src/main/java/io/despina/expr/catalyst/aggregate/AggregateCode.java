package io.despina.expr.catalyst.aggregate;

import io.despina.expr.catalyst.analysis.Functions;
import io.despina.expr.catalyst.codegen.Generated;
import io.despina.expr.catalyst.codegen.InputRow;
import io.despina.expr.catalyst.codegen.Slots;
import io.despina.packet.Column;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * A select list with aggregates, ready to run.
 *
 * @param functions   the generated functions
 * @param special     the parts that generated code does not handle alone; those that can be undone come first
 * @param mayOverflow as {@link io.despina.expr.Aggregation#mayOverflow}
 * @param columns     the number of columns used of the input row
 * @param initial     the initial slots
 */
public record AggregateCode(Functions functions, SpecialPart[] special, boolean mayOverflow, int columns, Slots initial,
        SlotBytes.Layout layout) {

    /** The generated functions. */
    public record Functions(Generated.Update updates, Generated.Update merges, Generated.Result results) {

        void initialize(int partition) {
            updates.initialize(partition);
            merges.initialize(partition);
            results.initialize(partition);
        }
    }

    public static AggregateCode of(AggregateProgram program, List<Column> result) {
        Functions functions = new Functions(AggregateProgram.update(program.updates()), AggregateProgram.update(program.merges()),
                program.result(result));
        SpecialPart[] special = program.parts().stream().filter(p -> !p.isPlain()).map(SpecialPart::new)
                .sorted(Comparator.comparing((SpecialPart p) -> !p.isDeclarative())).toArray(SpecialPart[]::new);
        return new AggregateCode(functions, special, Overflow.isPossible(program), program.columns(), initial(program),
                SlotBytes.Layout.of(program));
    }

    public static Slots initial(AggregateProgram program) {
        Slots initial = new Slots(new byte[program.places().width()], new Object[program.places().objects()]);
        InputRow row = new InputRow(program.columns());
        for (AggregatePart part : program.parts()) {
            if (part.update() != null) {
                for (int k = 0; k < part.initial().length; k++) {
                    part.update().slots()[k].put(initial, part.initial()[k].eval(row));
                }
            }
        }
        return initial;
    }

    /** How many of {@link #special} may throw on update: all that can be undone, and the one after them. */
    int unchecked() {
        return 1 + (int) Arrays.stream(special).filter(SpecialPart::isDeclarative).count();
    }
}
