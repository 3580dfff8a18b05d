package io.despina.expr.catalyst;

import io.despina.expr.PlainSplit;
import io.despina.expr.Projection;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Type;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.StringSplit;
import org.apache.spark.sql.types.DataTypes;

/** A projection to one array, {@code split(text, delimiter)}, that can be had part by part too. */
final class SplitArray implements Projection, Generated {
    private static final List<Column> TEXT = List.of(new Column("text", Type.Simple.STRING, true));
    /** Those that mean something else in a regular expression, unless a backslash is before them. */
    private static final String META = "\\^$.|?*+()[{";

    private final Projection whole;
    private final Projection text;
    private final byte delimiter;

    private SplitArray(Projection whole, Projection text, byte delimiter) {
        this.whole = whole;
        this.text = text;
        this.delimiter = delimiter;
    }

    /** What {@code program} compiles to: with a way to the parts, if it is such an array. */
    static Projection compile(Program program, List<Column> columns) {
        Projection whole = Codegen.projectionOrInterpreted(program, columns);
        if (program.results().length != 1 || !(program.results()[0] instanceof StringSplit split)) {
            return whole;
        }
        int delimiter = delimiter(split);
        if (delimiter < 0) {
            return whole;
        }
        Program text = new Program(program.inputs(), program.stages(), new Expression[] {split.str()});
        return new SplitArray(whole, Codegen.projectionOrInterpreted(text, TEXT), (byte) delimiter);
    }

    /** The one character that it splits at each time it comes; -1 if that is not so. */
    private static int delimiter(StringSplit split) {
        if (!split.str().dataType().equals(DataTypes.StringType) || !(split.limit() instanceof Literal limit)
                || !(limit.value() instanceof Integer most) || most > 0 || !(split.regex() instanceof Literal regex)
                || regex.value() == null) {
            return -1;
        }
        String pattern = regex.value().toString();
        boolean escaped = pattern.length() == 2 && pattern.charAt(0) == '\\' && !Character.isLetterOrDigit(pattern.charAt(1));
        boolean plain = pattern.length() == 1 && META.indexOf(pattern.charAt(0)) < 0;
        char last = escaped || plain ? pattern.charAt(pattern.length() - 1) : Character.MAX_VALUE;
        return last <= Byte.MAX_VALUE ? last : -1;
    }

    @Override
    public void apply(Packet[] inputs, PacketWriter out) {
        whole.apply(inputs, out);
    }

    @Override
    public PlainSplit split() {
        return new PlainSplit(text, delimiter);
    }

    @Override
    public void initialize(int partition) {
        ((Generated) whole).initialize(partition);
        ((Generated) text).initialize(partition);
    }
}
