with Ada.Text_IO; use Ada.Text_IO;

procedure Bot is
begin
   Put_Line ("ready");
   Flush;
   Put_Line ("heard " & Get_Line);
   Flush;
   while not End_Of_File loop
      Skip_Line;
   end loop;
end Bot;
