package io.despina.plan;

import java.util.List;

/**
 * What the text of a Python function says, which is read and not run.
 *
 * @param problem  why it cannot be called, in words; null if nothing is known against it
 * @param hint     what to do about that; may be null
 * @param needed   the names of the parameters that it must be given, in order
 * @param optional the names of those with a default
 * @param open     whether it takes any arguments, or its parameters are not known: then nothing is said of them
 * @param async    whether it is an {@code async def}; null if that is not known
 * @param methods those of a class; empty if it is none, or they are not known
 * @param told     whether the options of its operator reach it; null if that is not known
 */
public record FunctionFacts(String problem, String hint, List<String> needed, List<String> optional, boolean open,
        Boolean async, List<String> methods, Boolean told) {
    public FunctionFacts {
        needed = List.copyOf(needed);
        optional = List.copyOf(optional);
        methods = List.copyOf(methods);
    }
}
