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
}
