package io.despina.python;

/**
 * For which instance of which operator a process works.
 *
 * @param operator  its id
 * @param instance  from 0
 * @param instances how many there are
 */
public record InstancePlace(String operator, int instance, int instances) {
    /** Nobody has said. */
    static final InstancePlace UNKNOWN = new InstancePlace("", 0, 1);
}
