package io.despina.expr;

import io.despina.packet.ColumnRuns;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import java.util.Arrays;
import java.util.List;

/** A projection that only copies columns; it needs no compiler. */
public final class ColumnCopies implements Projection {
    /** By result column: the input, and its column. */
    private final int[] inputs;
    private final int[] columns;
    /** Null if there are several inputs. */
    private final ColumnRuns runs;

    private ColumnCopies(int[] inputs, int[] columns) {
        this.inputs = inputs;
        this.columns = columns;
        runs = columns.length > 0 && Arrays.stream(inputs).allMatch(input -> input == 0) ? new ColumnRuns(columns) : null;
    }

    /**
     * The projection with those origins; null if one of its columns is computed.
     *
     * @param origins as in {@link ProjectionPlan}
     */
    public static Compiled<Projection> of(Scope scope, List<Integer> origins) {
        int[] inputs = new int[origins.size()];
        int[] columns = new int[origins.size()];
        for (int k = 0; k < columns.length; k++) {
            if (origins.get(k) < 0) {
                return null;
            }
            columns[k] = origins.get(k);
            while (columns[k] >= scope.inputs().get(inputs[k]).schema().size()) {
                columns[k] -= scope.inputs().get(inputs[k]).schema().size();
                inputs[k]++;
            }
        }
        return partition -> new ColumnCopies(inputs, columns);
    }

    @Override
    public void apply(Packet[] packets, PacketWriter out) {
        if (runs != null && runs.copy(packets[0], out)) {
            return;
        }
        for (int k = 0; k < columns.length; k++) {
            out.setColumn(k, packets[inputs[k]], columns[k]);
        }
    }
}
