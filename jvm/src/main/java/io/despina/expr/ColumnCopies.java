package io.despina.expr;

import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import java.util.List;

/** A projection that only copies columns; it needs no compiler. */
public final class ColumnCopies implements Projection {
    /** By result column: the input, and its column. */
    private final int[] inputs;
    private final int[] columns;

    private ColumnCopies(int[] inputs, int[] columns) {
        this.inputs = inputs;
        this.columns = columns;
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
        ColumnCopies stateless = new ColumnCopies(inputs, columns);
        return partition -> stateless;
    }

    @Override
    public void apply(Packet[] packets, PacketWriter out) {
        for (int k = 0; k < columns.length; k++) {
            out.setColumn(k, packets[inputs[k]], columns[k]);
        }
    }
}
