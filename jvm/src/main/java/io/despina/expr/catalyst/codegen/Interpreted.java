package io.despina.expr.catalyst.codegen;

import io.despina.expr.Hash;
import io.despina.expr.Predicate;
import io.despina.expr.Projection;
import io.despina.expr.catalyst.row.ValueWriter;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow$;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Nondeterministic;

/** Interprets the programs of {@link Codegen}: slower, for the rare expression whose code does not compile. */
public final class Interpreted implements Projection, Predicate, Hash, Generated.Result {
    private final Program program;
    private final ValueWriter[] writers;
    private final InputRow row;

    public Interpreted(Program program, List<Column> columns) {
        this.program = program;
        writers = ValueWriter.of(columns);
        row = new InputRow(program.stages().length);
    }

    @Override
    public void initialize(int partition) {
        initialize(program.stages(), partition);
        initialize(program.results(), partition);
    }

    public static void initialize(Expression[] expressions, int partition) {
        Arrays.stream(expressions).forEach(e -> e.foreach(child -> {
            if (child instanceof Nondeterministic n) {
                n.initialize(partition);
            }
            return null;
        }));
    }

    private InputRow take(Packet[] inputs) {
        row.packets = inputs;
        for (int k = 0; k < program.stages().length; k++) {
            row.update(k, program.stages()[k].eval(row));
        }
        return row;
    }

    @Override
    public void apply(Packet[] inputs, PacketWriter out) {
        run(take(inputs), out);
    }

    @Override
    public void run(InputRow input, PacketWriter out) {
        for (int k = 0; k < writers.length; k++) {
            writers[k].set(out, k, program.results()[k].eval(input));
        }
    }

    @Override
    public boolean test(Packet[] inputs) {
        return Boolean.TRUE.equals(program.results()[0].eval(take(inputs)));
    }

    @Override
    public int hash(Packet[] inputs) {
        return (Integer) program.results()[0].eval(take(inputs));
    }

    /** The same for buffers. */
    public record Buffers(List<BufferWrite> writes) implements Generated.Update {

        @Override
        public void initialize(int partition) {
            writes.forEach(w -> Interpreted.initialize(w.values(), partition));
        }

        @Override
        public void run(InputRow row) {
            for (BufferWrite w : writes) {
                if (w.filter() == null || Boolean.TRUE.equals(w.filter().eval(row))) {
                    store(w, row);
                }
            }
        }

        private static void store(BufferWrite w, InputRow row) {
            Object[] values = new Object[w.values().length];
            for (int k = 0; k < values.length; k++) {
                values[k] = InternalRow$.MODULE$.copyValue(w.values()[k].eval(row));
            }
            for (int k = 0; k < values.length; k++) {
                BufferSlot slot = w.slots()[k];
                slot.put(row.slots, values[k]);
            }
        }
    }
}
