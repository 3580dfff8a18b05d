package io.despina.expr.catalyst.codegen;

import io.despina.packet.PacketWriter;

/** Common to all generated classes; those for aggregates are called through it. */
public interface Generated {

    /** Seeds non-deterministic expressions. */
    void initialize(int partition);

    /** Updates buffers, or merges them, from the content of {@code row}. */
    interface Update extends Generated {
        void run(InputRow row);
    }

    /** Writes the columns of a result. */
    interface Result extends Generated {
        void run(InputRow row, PacketWriter out);
    }
}
