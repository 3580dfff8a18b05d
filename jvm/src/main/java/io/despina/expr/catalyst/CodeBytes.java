package io.despina.expr.catalyst;

import io.despina.expr.Compiled;
import io.despina.expr.Hash;
import io.despina.expr.PlainSplit;
import io.despina.expr.Predicate;
import io.despina.expr.Projection;
import io.despina.expr.TypeBytes;
import io.despina.expr.catalyst.aggregate.AggregateCode;
import io.despina.expr.catalyst.aggregate.AggregatePart;
import io.despina.expr.catalyst.aggregate.AggregateProgram;
import io.despina.expr.catalyst.aggregate.CatalystAggregation;
import io.despina.expr.catalyst.aggregate.Overflow;
import io.despina.expr.catalyst.aggregate.SlotBytes;
import io.despina.expr.catalyst.aggregate.SpecialPart;
import io.despina.expr.catalyst.codegen.Codegen;
import io.despina.expr.catalyst.codegen.Generated;
import io.despina.expr.catalyst.codegen.GeneratedCode;
import io.despina.expr.catalyst.codegen.Program;
import io.despina.expr.catalyst.codegen.References;
import io.despina.expr.catalyst.codegen.SlotPlace;
import io.despina.expr.catalyst.codegen.Slots;
import io.despina.expr.catalyst.codegen.SplitArray;
import io.despina.expr.catalyst.codegen.UncompiledException;
import io.despina.expr.catalyst.row.SparkTypes;
import io.despina.packet.Column;
import io.despina.packet.Type;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.DataType;

/**
 * Compiled functions as bytes, which later JVMs run without Catalyst. Each JVM compiles a function itself if it is interpreted,
 * refers to Spark objects that have no form here ({@link References}), or keeps a buffer of its own.
 */
public final class CodeBytes {

    private enum Kind { PROJECTION, SPLIT, PREDICATE, HASH, AGGREGATION }

    /** Writes one function. */
    interface Form {
        void write(DataOutput out) throws IOException, References.NoFormException, UncompiledException;
    }

    private CodeBytes() {
    }

    /** The bytes of a form; null if it has none. */
    static byte[] of(Form form) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            form.write(out);
        } catch (References.NoFormException | UncompiledException hasNone) {
            return null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static Form projection(Program program, List<Column> columns) {
        return out -> {
            int delimiter = SplitArray.delimiter(program);
            kind(delimiter < 0 ? Kind.PROJECTION : Kind.SPLIT, out);
            Codegen.projection(program, columns).write(out);
            if (delimiter >= 0) {
                Codegen.projection(SplitArray.text(program), PlainSplit.TEXT.columns()).write(out);
                out.writeByte(delimiter);
            }
        };
    }

    static Form predicate(Program program) {
        return out -> {
            kind(Kind.PREDICATE, out);
            Codegen.predicate(program).write(out);
        };
    }

    static Form hash(Program program) {
        return out -> {
            kind(Kind.HASH, out);
            Codegen.hash(program).write(out);
        };
    }

    static Form aggregation(AggregateProgram program, List<Column> result) {
        return out -> {
            if (!program.parts().stream().allMatch(AggregatePart::isPlain)) {
                throw new References.NoFormException(program);
            }
            kind(Kind.AGGREGATION, out);
            Codegen.update(program.updates()).write(out);
            Codegen.update(program.merges()).write(out);
            Codegen.result(program.results(), result).write(out);
            out.writeBoolean(Overflow.isPossible(program));
            out.writeInt(program.columns());
            Slots initial = AggregateCode.initial(program);
            References.writeBytes(initial.bytes, out);
            References.write(initial.objects, out);
            write(SlotBytes.Layout.of(program), out);
        };
    }

    private static void write(SlotBytes.Layout layout, DataOutput out) throws IOException, References.NoFormException {
        write(layout.primitives(), layout.numbers(), out);
        write(layout.objects(), layout.types(), out);
    }

    private static void write(List<SlotPlace> places, List<DataType> types, DataOutput out)
            throws IOException, References.NoFormException {
        out.writeInt(places.size());
        for (int k = 0; k < places.size(); k++) {
            write(places.get(k), out);
            Type type = SparkTypes.type(types.get(k));
            if (type == null) {
                throw new References.NoFormException(types.get(k));
            }
            TypeBytes.write(type, out);
        }
    }

    private static void write(SlotPlace place, DataOutput out) throws IOException {
        out.writeInt(place.slot());
        out.writeInt(place.flag());
    }

    private static void kind(Kind kind, DataOutput out) throws IOException {
        out.writeByte(kind.ordinal());
    }

    /**
     * Reads a function from the bytes of {@link Compiled#code}.
     *
     * @param <F> must be the function's kind
     */
    @SuppressWarnings("unchecked")
    public static <F> Compiled<F> read(byte[] bytes) {
        return partition -> {
            try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
                return (F) read(in, partition);
            } catch (IOException e) {
                throw new UncheckedIOException("compiled code breaks off", e);
            }
        };
    }

    private static Object read(DataInput in, int partition) throws IOException {
        Kind kind = Kind.values()[in.readByte()];
        if (kind == Kind.AGGREGATION) {
            return new CatalystAggregation(aggregate(in), partition);
        }
        Object function = switch (kind) {
            case PREDICATE -> GeneratedCode.read(in).instance(Predicate.class);
            case HASH -> GeneratedCode.read(in).instance(Hash.class);
            case SPLIT -> new SplitArray(projection(in), projection(in), in.readByte());
            default -> projection(in);
        };
        ((Generated) function).initialize(partition);
        return function;
    }

    private static Projection projection(DataInput in) throws IOException {
        return GeneratedCode.read(in).instance(Projection.class);
    }

    private static AggregateCode aggregate(DataInput in) throws IOException {
        AggregateCode.Functions functions = new AggregateCode.Functions(GeneratedCode.read(in).instance(Generated.Update.class),
                GeneratedCode.read(in).instance(Generated.Update.class), GeneratedCode.read(in).instance(Generated.Result.class));
        boolean mayOverflow = in.readBoolean();
        int columns = in.readInt();
        Slots initial = new Slots(References.readBytes(in), References.read(in));
        List<SlotPlace> primitives = new ArrayList<>();
        List<DataType> numbers = places(in, primitives);
        List<SlotPlace> objects = new ArrayList<>();
        List<DataType> types = places(in, objects);
        return new AggregateCode(functions, new SpecialPart[0], mayOverflow, columns, initial,
                new SlotBytes.Layout(primitives, numbers, objects, types));
    }

    /** Adds to {@code places}, and returns their types. */
    private static List<DataType> places(DataInput in, List<SlotPlace> places) throws IOException {
        List<DataType> types = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            places.add(place(in));
            types.add(SparkTypes.spark(TypeBytes.readType(in)));
        }
        return types;
    }

    private static SlotPlace place(DataInput in) throws IOException {
        return new SlotPlace(in.readInt(), in.readInt());
    }
}
