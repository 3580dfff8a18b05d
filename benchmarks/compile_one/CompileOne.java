import io.despina.expr.Expressions;
import io.despina.expr.Scope;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.util.List;

/** The least that a graph with expressions can cost: one JVM that compiles one of them. */
public final class CompileOne {

    private CompileOne() {
    }

    public static void main(String[] arguments) throws Exception {
        Scope scope = Scope.of(Schema.of(new Column("a", Type.Simple.BIGINT, false)));
        Expressions.compiler(true, "UTC").project(scope, List.of("a + 1 AS b")).compiled().instance(0);
    }
}
