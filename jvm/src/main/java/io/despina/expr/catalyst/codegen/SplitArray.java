package io.despina.expr.catalyst.codegen;

import io.despina.expr.PlainSplit;
import io.despina.expr.Projection;
import io.despina.expr.catalyst.analysis.Splitting;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import org.apache.spark.sql.catalyst.expressions.Expression;

/** {@code split(text, delimiter)} in generated code, as the whole array and as the text only. */
public final class SplitArray implements PlainSplit, Generated {
    private final Projection whole;
    private final Projection text;
    private final byte delimiter;

    public SplitArray(Projection whole, Projection text, byte delimiter) {
        this.whole = whole;
        this.text = text;
        this.delimiter = delimiter;
    }

    /**
     * A projection that also gives the text, if {@code program}, compiled to {@code whole}, is such a split; else {@code whole}.
     */
    public static Projection of(Program program, Projection whole) {
        int delimiter = delimiter(program);
        return delimiter < 0 ? whole
                : new SplitArray(whole, Codegen.projectionOrInterpreted(text(program), TEXT.columns()), (byte) delimiter);
    }

    /** The text that a program with a delimiter cuts. */
    public static Program text(Program program) {
        return new Program(program.inputs(), program.stages(), new Expression[] {Splitting.text(program.results()[0])});
    }

    /** The single character at which the program's only result splits a text; -1 for any other program. */
    public static int delimiter(Program program) {
        return program.results().length == 1 ? Splitting.delimiter(program.results()[0]) : -1;
    }

    @Override
    public void apply(Packet[] inputs, PacketWriter out) {
        whole.apply(inputs, out);
    }

    @Override
    public Projection text() {
        return text;
    }

    @Override
    public byte delimiter() {
        return delimiter;
    }

    @Override
    public void initialize(int partition) {
        ((Generated) whole).initialize(partition);
        ((Generated) text).initialize(partition);
    }
}
