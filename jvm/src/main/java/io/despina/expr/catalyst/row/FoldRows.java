package io.despina.expr.catalyst.row;

import io.despina.expr.PacketFold;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.collection.AbstractIterator;
import scala.collection.IterableOnce;
import scala.collection.immutable.Seq;

/**
 * Folds the rows of a partition, group after group, each in event order. Gives the columns of its one operator, or of several
 * operators the group, the operator's number and the packet: what {@link FoldedRows} reads.
 */
final class FoldRows extends RowGenerator {
    private static final long serialVersionUID = 1L;

    static final String GROUP = "_despina_group";
    static final String OPERATOR = "_despina_operator";
    static final String PACKET = "_despina_packet";

    private final PacketFold fold;
    private transient Run run;

    /** @param columns the group's number, then the columns of the fold's input, or of several inputs a struct of each */
    FoldRows(Seq<Expression> columns, PacketFold fold) {
        this(columns, fold, output(fold.outputs()));
    }

    private FoldRows(Seq<Expression> columns, PacketFold fold, StructType output) {
        super(columns, output);
        this.fold = fold;
    }

    private static StructType output(List<Schema> outputs) {
        return outputs.size() == 1 ? SparkTypes.struct(outputs.get(0)) : new StructType(new StructField[] {
            new StructField(GROUP, DataTypes.IntegerType, false, Metadata.empty()),
            new StructField(OPERATOR, DataTypes.IntegerType, false, Metadata.empty()),
            new StructField(PACKET, DataTypes.BinaryType, false, Metadata.empty())});
    }

    @Override
    RowGenerator reading(Seq<Expression> columns) {
        return new FoldRows(columns, fold, elementSchema());
    }

    @Override
    Object identity() {
        return fold;
    }

    @Override
    public IterableOnce<InternalRow> eval(InternalRow row) {
        if (run == null) {
            run = new Run();
        }
        return run.taking((Integer) value(0, row), row);
    }

    @Override
    public IterableOnce<InternalRow> terminate() {
        return run == null ? scala.package$.MODULE$.Iterator().<InternalRow>empty() : run.ending();
    }

    @Override
    public String toString() {
        return "fold of " + fold;
    }

    /** Of one partition: what the last row gave, to be read before the next one is taken. */
    private final class Run extends AbstractIterator<InternalRow> {
        private final Reading[] inputs;
        private final PacketRow only;
        /** Of the row that is taken: its input. */
        private int port;
        private int group;
        /** The packet's group, which begins when the one before it has ended. */
        private int next;
        /** Of the group; null before the first. */
        private PacketFold.Results results;
        /** Whether the next result was found, and not asked for yet. */
        private boolean found;

        Run() {
            inputs = fold.inputs().stream().map(Reading::new).toArray(Reading[]::new);
            List<Schema> outputs = fold.outputs();
            only = outputs.size() == 1 ? ValueType.row(outputs.get(0)) : null;
        }

        Run taking(int itsGroup, InternalRow row) {
            if (inputs.length == 1) {
                readOne(row);
            } else {
                readOneOfSeveral(row);
            }
            next = itsGroup;
            if (results == null) {
                begin();
            } else if (group == next) {
                take();
            } else {
                results.end();
            }
            return this;
        }

        private void readOne(InternalRow row) {
            Reading in = inputs[0];
            in.begin();
            for (int k = 0; k < in.values.length; k++) {
                in.values[k].set(in.writer, k, value(k + 1, row));
            }
            in.commit();
        }

        private void readOneOfSeveral(InternalRow row) {
            port = 0;
            InternalRow found = (InternalRow) value(1, row);
            while (found == null) {
                found = (InternalRow) value(++port + 1, row);
            }
            Reading in = inputs[port];
            in.begin();
            for (int k = 0; k < in.values.length; k++) {
                in.values[k].set(in.writer, k, found.isNullAt(k) ? null : found.get(k, in.values[k].spark()));
            }
            in.commit();
        }

        private void begin() {
            group = next;
            results = fold.begin();
            take();
        }

        private void take() {
            results.take(port, inputs[port].packet);
        }

        Run ending() {
            if (results != null) {
                results.end();
            }
            return this;
        }

        @Override
        public boolean hasNext() {
            found = found || results.next();
            if (!found && group != next) {
                begin();
                found = results.next();
            }
            return found;
        }

        @Override
        public InternalRow next() {
            if (!hasNext()) {
                throw new java.util.NoSuchElementException();
            }
            found = false;
            Packet result = results.packet();
            return only != null ? only.on(result) : new GenericInternalRow(new Object[] {
                group, results.operator(), Arrays.copyOfRange(result.bytes(), result.start(), result.end())});
        }
    }

    /** Makes packets of the rows of an input. */
    private static final class Reading implements PacketWriter.Regions {
        private static final int FIRST_BYTES = 1024;

        private final ValueWriter[] values;
        private final PacketWriter writer;
        private final Packet packet;

        Reading(Schema input) {
            values = ValueWriter.of(input.columns());
            writer = new PacketWriter(input.layout(), this);
            writer.open(new byte[FIRST_BYTES], 0, FIRST_BYTES);
            packet = new Packet(input.layout());
        }

        void begin() {
            writer.open(writer.bytes(), 0, writer.bytes().length);
            writer.begin();
        }

        void commit() {
            writer.commit();
            packet.wrap(writer.bytes(), 0, writer.position());
        }

        @Override
        public void makeRoom(PacketWriter w, int needed) {
            byte[] larger = new byte[Math.max(needed, 2 * w.bytes().length)];
            w.move(larger, 0, larger.length);
        }
    }
}
