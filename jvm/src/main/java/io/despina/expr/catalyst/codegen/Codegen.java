package io.despina.expr.catalyst.codegen;

import io.despina.expr.Hash;
import io.despina.expr.Predicate;
import io.despina.expr.Projection;
import io.despina.expr.catalyst.analysis.Scala;
import io.despina.expr.catalyst.row.ValueWriter;
import io.despina.packet.Column;
import io.despina.packet.PacketWriter;
import io.despina.packet.Type;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.codegen.CodeAndComment;
import org.apache.spark.sql.catalyst.expressions.codegen.CodeFormatter;
import org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import scala.Tuple2;
import scala.collection.immutable.Seq;

/**
 * Turns bound expressions into Java, and compiles it with Spark's compiler (which caches classes by source). A generated class
 * reads packets from its fields {@code in0}, {@code in1} … and sets the columns of the open packet one by one. Long lists are
 * split into methods small enough for the JIT compiler.
 */
public final class Codegen {
    private static final String PACKET = "io.despina.packet.Packet";
    private static final String WRITER = PacketWriter.class.getName();
    private static final String ROW = InputRow.class.getName();
    private static final String VALUES = ValueWriter.class.getName();

    /** For tests: makes every compilation fail on the thread that sets it. */
    public static final ThreadLocal<Boolean> REFUSES = ThreadLocal.withInitial(() -> false);

    private final CodegenContext ctx = new CodegenContext();
    private final int inputs;
    private final int extras;

    private Codegen(int inputs, int extras) {
        this.inputs = inputs;
        this.extras = extras;
        ctx.INPUT_ROW_$eq("row");
    }

    public static GeneratedCode projection(Program program, List<Column> columns) throws UncompiledException {
        Codegen g = new Codegen(program.inputs(), program.stages().length);
        String stages = g.stages(program);
        String writes = g.writes(program, columns);
        return g.compile(Projection.class, "public void apply(" + PACKET + "[] inputs, " + WRITER + " out) {\n"
                + g.takeInputs() + stages + g.ctx.subexprFunctionsCode() + writes + "}\n");
    }

    /** The same, interpreted if it does not compile. */
    public static Projection projectionOrInterpreted(Program program, List<Column> columns) {
        try {
            return projection(program, columns).instance(Projection.class);
        } catch (UncompiledException e) {
            return new Interpreted(program, columns);
        }
    }

    public static GeneratedCode predicate(Program program) throws UncompiledException {
        Codegen g = new Codegen(program.inputs(), program.stages().length);
        String stages = g.stages(program);
        ExprCode e = program.results()[0].genCode(g.ctx);
        return g.compile(Predicate.class, "public boolean test(" + PACKET + "[] inputs) {\n" + g.takeInputs() + stages
                + e.code() + "\nreturn !" + e.isNull() + " && " + e.value() + ";\n}\n");
    }

    public static GeneratedCode hash(Program program) throws UncompiledException {
        Codegen g = new Codegen(program.inputs(), program.stages().length);
        String stages = g.stages(program);
        ExprCode e = program.results()[0].genCode(g.ctx);
        return g.compile(Hash.class, "public int hash(" + PACKET + "[] inputs) {\n" + g.takeInputs() + stages
                + e.code() + "\nreturn " + e.value() + ";\n}\n");
    }

    /** The results of aggregates. Inputs are the row's packet, then the group's key. */
    public static GeneratedCode result(Program program, List<Column> columns) throws UncompiledException {
        Codegen g = new Codegen(program.inputs(), 0);
        String writes = g.writes(program, columns);
        return g.compile(Generated.Result.class, "public void run(" + ROW + " given, " + WRITER + " out) {\n" + g.takeRow()
                + g.ctx.subexprFunctionsCode() + writes + "}\n");
    }

    public static GeneratedCode update(List<BufferWrite> writes) throws UncompiledException {
        Codegen g = new Codegen(1, 0);
        String text = g.updates(writes);
        return g.compile(Generated.Update.class, "public void run(" + ROW + " given) {\n" + g.takeRow()
                + g.ctx.subexprFunctionsCode() + text + "}\n");
    }

    private String takeInputs() {
        return "inputRow.packets = inputs;\nInternalRow row = inputRow;\n" + takePackets("inputs");
    }

    private String takeRow() {
        return "inputRow = given;\nslots = given.slots;\nother = given.other;\nInternalRow row = given;\n"
                + takePackets("given.packets");
    }

    private String takePackets(String array) {
        StringBuilder text = new StringBuilder();
        for (int k = 0; k < inputs; k++) {
            text.append(PacketColumn.field(k)).append(" = ").append(array).append('[').append(k).append("];\n");
        }
        return text.toString();
    }

    private String stages(Program program) {
        StringBuilder text = new StringBuilder();
        for (int k = 0; k < program.stages().length; k++) {
            Expression stage = program.stages()[k];
            ExprCode e = stage.genCode(ctx);
            String value = CodeGenerator.isPrimitiveType(stage.dataType())
                    ? CodeGenerator.boxedType(stage.dataType()) + ".valueOf(" + e.value() + ")" : e.value().toString();
            text.append(e.code()).append("\nif (").append(e.isNull()).append(") { row.setNullAt(").append(k)
                    .append("); } else { row.update(").append(k).append(", ").append(value).append("); }\n");
        }
        return text.toString();
    }

    private String writes(Program program, List<Column> columns) {
        List<ExprCode> codes = generate(List.of(program.results()));
        List<String> pieces = new ArrayList<>();
        for (int k = 0; k < columns.size(); k++) {
            Expression e = program.results()[k];
            pieces.add(e instanceof PacketColumn c && isCopied(c, columns.get(k)) ? copy(c, k)
                    : write(codes.get(k), columns.get(k), k));
        }
        return split(pieces, "write", List.of(new Tuple2<>(WRITER, "out")));
    }

    private List<ExprCode> generate(List<Expression> expressions) {
        return Scala.list(ctx.generateExpressions(Scala.seq(expressions), true));
    }

    private static boolean isCopied(PacketColumn source, Column column) {
        return column.type().width() == Type.VARIABLE && source.type().type.equals(column.type());
    }

    private static String copy(PacketColumn source, int k) {
        String copy = VALUES + ".copy(" + PacketColumn.field(source.input) + ", " + source.ordinal + ", out, " + k + ");\n";
        return source.nullable() ? "if (" + source.nullCode() + ") { out.setNull(" + k + "); } else { " + copy + "}\n" : copy;
    }

    private String write(ExprCode e, Column column, int k) {
        String set = set(column, k, e.value().toString()) + ";\n";
        String isNull = e.isNull().toString();
        return "{\n" + e.code() + "\n" + (isNull.equals("false") ? set
                : "if (" + isNull + ") { out.setNull(" + k + "); } else { " + set + "}\n") + "}\n";
    }

    private String set(Column column, int k, String value) {
        String args = "(" + k + ", " + value + ")";
        if (column.type() instanceof Type.Void) {
            return "out.setNull(" + k + ")";
        }
        if (column.type().stored() instanceof Type.Simple simple) {
            return switch (simple) {
                case BOOLEAN -> "out.setBoolean" + args;
                case TINYINT -> "out.setByte" + args;
                case SMALLINT -> "out.setShort" + args;
                case INT, DATE -> "out.setInt" + args;
                case BIGINT, TIMESTAMP, TIMESTAMP_NTZ -> "out.setLong" + args;
                case FLOAT -> "out.setFloat" + args;
                case DOUBLE -> "out.setDouble" + args;
                case STRING -> VALUES + ".setString(out, " + k + ", " + value + ")";
                case BINARY -> VALUES + ".setBinary(out, " + k + ", " + value + ")";
            };
        }
        return ctx.addReferenceObj("writer", new ValueWriter(column), VALUES) + ".setObject(out, " + k + ", " + value + ")";
    }

    /** Evaluates common subexpressions once, except those under a FILTER, which may guard against an error. */
    private String updates(List<BufferWrite> writes) {
        List<Expression> unfiltered = writes.stream().filter(w -> w.filter() == null)
                .flatMap(w -> java.util.Arrays.stream(w.values())).toList();
        List<ExprCode> codes = new ArrayList<>(generate(unfiltered));
        List<String> pieces = new ArrayList<>();
        for (BufferWrite w : writes) {
            List<ExprCode> values = new ArrayList<>();
            for (Expression value : w.values()) {
                values.add(w.filter() == null ? codes.remove(0) : value.genCode(ctx));
            }
            pieces.add(update(w, values));
        }
        return split(pieces, "update", List.of());
    }

    private String update(BufferWrite w, List<ExprCode> values) {
        StringBuilder text = new StringBuilder("{\n");
        if (w.filter() != null) {
            ExprCode f = w.filter().genCode(ctx);
            text.append(f.code()).append("\nif (!").append(f.isNull()).append(" && ").append(f.value()).append(") {\n");
        }
        values.forEach(v -> text.append(v.code()).append('\n'));
        for (int k = 0; k < values.size(); k++) {
            text.append(store(w.slots()[k], values.get(k)));
        }
        return text.append(w.filter() == null ? "}\n" : "}\n}\n").toString();
    }

    private static String store(BufferSlot slot, ExprCode e) {
        if (!BufferSlot.isPrimitive(slot.dataType())) {
            return "slots.keep(" + slot.slot() + ", " + e.isNull() + " ? null : (Object) " + e.value() + ");\n";
        }
        return slot.store(e.isNull().toString(), e.value().toString());
    }

    private String split(List<String> pieces, String name, List<Tuple2<String, String>> arguments) {
        List<Tuple2<String, String>> all = new ArrayList<>();
        all.add(new Tuple2<>("InternalRow", "row"));
        all.addAll(arguments);
        Seq<Tuple2<String, String>> args = Scala.seq(all);
        return ctx.splitExpressions(Scala.seq(pieces), name, args, ctx.splitExpressions$default$4(),
                ctx.splitExpressions$default$5(), ctx.splitExpressions$default$6());
    }

    private GeneratedCode compile(Class<?> contract, String entry) throws UncompiledException {
        String name = contract.getName().replace('$', '.');
        StringBuilder fields = new StringBuilder();
        for (int k = 0; k < inputs; k++) {
            fields.append(PACKET).append(' ').append(PacketColumn.field(k)).append(";\n");
        }
        String body = "public java.lang.Object generate(Object[] references) { return new PacketCode(references); }\n"
                + "class PacketCode implements " + name + ", io.despina.expr.catalyst.codegen.Generated {\n"
                + "private Object[] references;\n" + ROW + " inputRow = new " + ROW + "(" + extras + ");\n"
                + "io.despina.expr.catalyst.codegen.Slots slots;\nio.despina.expr.catalyst.codegen.Slots other;\n" + fields
                + ctx.declareMutableStates()
                + "public PacketCode(Object[] references) {\nthis.references = references;\n" + ctx.initMutableStates() + "}\n"
                + "public void initialize(int partitionIndex) {\n" + ctx.initPartition() + "}\n"
                + entry + ctx.declareAddedFunctions() + "}\n";
        CodeAndComment source = CodeFormatter.stripOverlappingComments(
                new CodeAndComment(body, scala.collection.immutable.Map$.MODULE$.empty()));
        Object[] references = scala.jdk.javaapi.CollectionConverters.asJava(ctx.references()).toArray();
        if (REFUSES.get()) {
            throw new UncompiledException("refused by a test", null);
        }
        return GeneratedCode.compile(source.body(), references);
    }
}
