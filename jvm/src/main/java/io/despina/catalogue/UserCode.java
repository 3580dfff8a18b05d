package io.despina.catalogue;

import io.despina.operator.python.FunctionStarting;

/**
 * What runs the user's code in a process.
 *
 * @param classes   loads the classes of the user's jars; null if no operator needs one
 * @param functions starts processes for Python functions; null if no operator has one
 */
public record UserCode(ClassLoader classes, FunctionStarting functions) {
    /** For operators without any. */
    public static final UserCode NONE = new UserCode(null, null);
}
