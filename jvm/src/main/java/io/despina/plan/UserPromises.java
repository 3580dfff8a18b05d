package io.despina.plan;

/** What the user's classes say of themselves, by the interfaces that they implement. */
@FunctionalInterface
public interface UserPromises {
    /** Nothing is known of any class. */
    UserPromises NONE = (className, promise) -> false;

    /**
     * Whether a class says so.
     *
     * @param className full name
     * @param promise   an interface of the API
     * @return false too if the class cannot be looked at
     */
    boolean keeps(String className, Class<?> promise);

    /**
     * Whether a Python class has a method.
     *
     * @param function as {@link PlanningContext#function} knows it
     * @return false too if nothing is known of the class
     */
    default boolean hasMethod(String function, String method) {
        return false;
    }
}
