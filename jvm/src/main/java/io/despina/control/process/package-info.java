/** A resource as a process: its command line, its secrets, its main method. */
package io.despina.control.process;
