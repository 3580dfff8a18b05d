package io.despina.operator.python;

import java.util.HashMap;
import java.util.Map;

/** Of one attempt of a job in one resource: the crossings into operators, of each instance that has its neighbour here. */
public final class Crossings {
    private final Map<String, Crossing> into = new HashMap<>();

    /** Before the operators are made. @param operator behind another */
    public void add(String operator, int instance) {
        into.put(key(operator, instance), new Crossing());
    }

    /** Null if the instance before it is elsewhere. */
    Crossing into(String operator, int instance) {
        return into.get(key(operator, instance));
    }

    private static String key(String operator, int instance) {
        return instance + " " + operator;
    }
}
