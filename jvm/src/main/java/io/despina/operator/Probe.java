package io.despina.operator;

/** Tries what an operator connects to, once, without the operator: a graph's author asks for it before a job is started. */
public interface Probe {

    /**
     * Tries the address, TLS, the login, that what the operator reads or writes is there, and the rights, as far as that can be
     * done without changing anything or reading a record. Blocks; an interrupt ends it.
     *
     * @param millis how long it may take
     * @return what was found, in words for the user; null if it cannot be tried
     * @throws Exception what is wrong: the message names the field to look at; a {@link HintedException} what to do
     */
    String run(long millis) throws Exception;

    /** Tries another thing too. @param other null for nothing more */
    default Probe and(Probe other) {
        return other == null ? this : millis -> {
            String first = run(millis);
            return first == null ? other.run(millis) : first + ", " + other.run(millis);
        };
    }
}
