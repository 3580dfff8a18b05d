package io.despina.control.coordinator;

import io.despina.arrow.StreamWriter;
import io.despina.control.protocol.Refusal;
import io.despina.expr.ExpressionException;
import io.despina.expr.Expressions;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.plan.PlannedPort;
import io.despina.plan.Settings;
import io.despina.state.ScratchPacket;
import java.util.List;

/** How the rows must be that a program gives in place of a source's. */
record GivenRows(Settings settings, PlannedPort source) {
    /** Literals read no column, and a schema has at least one. */
    private static final Schema UNREAD = Schema.of(new Column("unread", Type.Simple.BIGINT, false));

    /** An Arrow stream of their columns, without a row. */
    byte[] schema() {
        return new StreamWriter(source.schema(), settings.timeZone()).take();
    }

    /** Whether there are columns that they may leave out. */
    boolean mayLeaveOut() {
        return !source.defaults().isEmpty();
    }

    /**
     * An Arrow stream of the columns that they may leave out, with one row: what those are then. Spark's compiler reads the
     * literals, so they mean what they mean on Spark.
     */
    byte[] defaults() throws Refusal {
        List<String> select = source.defaults().stream()
                .map(c -> "CAST(" + c.absent() + " AS " + c.type().sql() + ") AS " + Column.inSql(c.name())).toList();
        try {
            ProjectionPlan plan = Expressions.compiler(settings.ansi(), settings.timeZone()).project(Scope.of(UNREAD), select);
            ScratchPacket none = new ScratchPacket(UNREAD.layout());
            none.begin().setLong(0, 0);
            ScratchPacket row = new ScratchPacket(plan.result().layout());
            plan.compiled().instance(0).apply(new Packet[] {none.commit()}, row.begin());
            StreamWriter rows = new StreamWriter(plan.result(), settings.timeZone());
            rows.add(row.commit());
            return rows.take();
        } catch (ExpressionException | RuntimeException e) {
            throw new Refusal("schema", "a default of `" + source.name() + "`: " + e.getMessage(), null);
        }
    }
}
