package io.despina.expr;

import io.despina.expr.catalyst.CatalystCompiler;
import io.despina.expr.catalyst.CatalystText;
import io.despina.expr.catalyst.PacketArrow;

import io.despina.packet.Schema;
import java.util.List;
import java.util.function.BooleanSupplier;

/** The way to expressions for those who must not load Spark before they need it: Catalyst is loaded by the first call. */
public final class Expressions {
    /** Most JVMs know one. */
    private static final int SETTINGS = 8;
    private static final Recent<List<Object>, ExpressionCompiler> COMPILERS = new Recent<>(SETTINGS);

    private Expressions() {
    }

    /**
     * The compiler under a graph's settings, the same for all jobs that have them: what one has asked, the next need not wait for.
     *
     * @param ansi     Spark's ANSI mode
     * @param timeZone the session's time zone, for example {@code UTC} or {@code Europe/Rome}
     * @throws IllegalArgumentException if there is no such time zone
     */
    public static ExpressionCompiler compiler(boolean ansi, String timeZone) {
        List<Object> settings = List.of(ansi, timeZone);
        ExpressionCompiler compiler = COMPILERS.get(settings);
        if (compiler == null) {
            compiler = new CatalystCompiler(ansi, timeZone);
            COMPILERS.put(settings, compiler);
        }
        return compiler;
    }

    /**
     * Starts loading and warming Catalyst on a thread of its own, which ends by itself; returns at once.
     *
     * @param enough whether what is left may be left out, since real work has come
     */
    public static Thread warmUp(BooleanSupplier enough) {
        Thread thread = new Thread(() -> CatalystCompiler.warmUp(enough), "despina-warm-up");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** @throws IllegalArgumentException if Spark refuses an option, in its words */
    public static RecordParser parser(TextOptions options) {
        return CatalystText.parser(options);
    }

    /** @throws IllegalArgumentException if Spark refuses an option, in its words */
    public static RecordFormatter formatter(TextOptions options) {
        return CatalystText.formatter(options);
    }

    /** @param timeZone that the time stamps' Arrow type names */
    public static ArrowRows arrow(Schema schema, String timeZone) {
        return new PacketArrow(schema, timeZone);
    }
}
