package io.despina.operator.user;

import io.despina.api.Columns;
import io.despina.api.Context;
import io.despina.api.RowState;
import io.despina.operator.OperatorContext;
import java.util.Map;

/**
 * The context that the user's class gets.
 *
 * @param incoming null for a source
 * @param leaving  null for a sink
 * @param kept     null without state
 */
record UserContext(OperatorContext engine, Map<String, String> options, Columns incoming, Columns leaving, KeyedRow kept)
        implements Context {

    @Override
    public String operatorId() {
        return engine.operatorId();
    }

    @Override
    public int instance() {
        return engine.instance();
    }

    @Override
    public int parallelism() {
        return engine.parallelism();
    }

    @Override
    public String option(String name) {
        String value = options.get(name);
        if (value == null) {
            throw new IllegalArgumentException("the graph gives no option `" + name + "`: add it to `options`");
        }
        return value;
    }

    @Override
    public String option(String name, String otherwise) {
        return options.getOrDefault(name, otherwise);
    }

    @Override
    public Columns input() {
        return there(incoming, "a source has no input");
    }

    @Override
    public Columns output() {
        return there(leaving, "a sink has no output");
    }

    private static Columns there(Columns columns, String why) {
        if (columns == null) {
            throw new IllegalStateException(why);
        }
        return columns;
    }

    @Override
    public RowState state() {
        if (kept == null) {
            throw new IllegalStateException("the class declares no state(): let it answer the columns that it keeps");
        }
        return kept;
    }

    @Override
    public void warn(String what) {
        engine.warn(what);
    }
}
