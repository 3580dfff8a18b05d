/** The coordinator's resources: those it starts, those that join, and the one in its own JVM. */
package io.despina.control.members;
